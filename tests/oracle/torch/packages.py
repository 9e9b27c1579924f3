"""`python -m tests.oracle.torch.packages FOLDER [NAME...]`: archives of small models of packages.

Those in `tests/oracle/archives/packages` are some of these, by several versions of PyTorch. Models have random weights,
which aren't kept; batch, sequence and image sizes vary. A package that isn't installed is skipped.
"""

from __future__ import annotations

import io
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tests.oracle.torch.archived import AUTO, T, drawn, without_weights

IMAGE, TEXT = {0: AUTO, 2: AUTO, 3: AUTO}, {0: AUTO, 1: AUTO}
Program = tuple[nn.Module, tuple[T, ...], tuple[Any, ...]]


class Called(nn.Module):
    """A model called with named tensors; returns the tensors of its output, at most three."""

    def __init__(self, model: nn.Module, *names: str, **fixed: Any) -> None:
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *tensors: T) -> Any:
        out = self.model(**dict(zip(self.names, tensors, strict=True)), **self.fixed)
        out = out.to_tuple() if hasattr(out, "to_tuple") else out if isinstance(out, tuple) else (out,)
        return [each for each in out if isinstance(each, T)][:3]


def words(*shape: int) -> T:
    return torch.randint(1, 50, shape)


# transformers: the class, its settings, and the inputs

SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24}
LONG = {**SMALL, "vocab_size": 50, "max_position_embeddings": 32}
GROUPED = {**LONG, "num_key_value_heads": 1}
VISION = {**SMALL, "image_size": 32, "patch_size": 8}
SIDES = {f"{side}_{what}": n for side in ("encoder", "decoder") for what, n in (("layers", 1), ("attention_heads", 2))}
SPOKEN = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 1, "num_heads": 2, "vocab_size": 50}
ENCODERS = {
    "bert": ("Bert", LONG),
    "albert": ("Albert", {**LONG, "embedding_size": 8}),
    "deberta": ("DebertaV2", {**LONG, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "longt5": ("LongT5Encoder", {**T5, "local_radius": 3, "encoder_attention_type": "local"}),
}
DECODERS = {
    "llama": ("Llama", GROUPED),
    "qwen2": ("Qwen2", GROUPED),
    "mistral": ("Mistral", {**GROUPED, "sliding_window": 4}),
    "gemma": ("Gemma", {**GROUPED, "head_dim": 8}),
    "gpt2": ("GPT2", {"n_embd": 16, "n_layer": 1, "n_head": 2, "vocab_size": 50, "n_positions": 32}),
    "bloom": ("Bloom", {"hidden_size": 16, "n_layer": 1, "n_head": 2, "vocab_size": 50}),
    "opt": ("OPT", {**LONG, "ffn_dim": 24, "word_embed_proj_dim": 16}),
}
SEEN = {
    "vit": ("ViT", VISION, {"interpolate_pos_encoding": True}),
    "clip": ("CLIPVision", VISION, {"interpolate_pos_encoding": True}),
    "beit": ("Beit", VISION, {}),
    "convnext": ("ConvNext", {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2}, {}),
}


def transformer(name: str, settings: dict[str, Any]) -> nn.Module:
    package = import_module("transformers")
    return getattr(package, f"{name}Model")(
        getattr(package, f"{name.removesuffix('Encoder')}Config")(**settings)
    ).eval()


def transformers(name: str) -> Program | None:
    if name in ENCODERS or name in DECODERS:
        fixed = {"use_cache": False} if name in DECODERS else {}
        model = transformer(*{**ENCODERS, **DECODERS}[name])
        whole = torch.ones(2, 7, dtype=torch.int64)
        return Called(model, "input_ids", "attention_mask", **fixed), (words(2, 7), whole), (TEXT, TEXT)
    if name in SEEN:
        kind, settings, fixed = SEEN[name]
        rows = 32 if name == "beit" else 40
        return Called(transformer(kind, settings), "pixel_values", **fixed), (drawn(2, 3, rows, 32),), (IMAGE,)
    if name == "mamba":
        settings = {"hidden_size": 16, "state_size": 4, "num_hidden_layers": 1, "vocab_size": 50, "time_step_rank": 2}
        return Called(transformer("Mamba", settings), "input_ids", use_cache=False), (words(2, 7),), (TEXT,)
    if name == "t5":
        both = ("input_ids", "decoder_input_ids")
        return Called(transformer("T5", T5), *both, use_cache=False), (words(2, 7), words(2, 5)), (TEXT, TEXT)
    if name == "wav2vec2":
        kernels = {"conv_dim": [8, 8], "conv_stride": [5, 2], "conv_kernel": [10, 3], "num_feat_extract_layers": 2}
        settings = {**LONG, **kernels, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2}
        return Called(transformer("Wav2Vec2", settings), "input_values"), (drawn(2, 400),), (TEXT,)
    if name == "whisper":
        sizes = {"num_mel_bins": 8, "d_model": 16, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "vocab_size": 50}
        model = transformer("Whisper", {**sizes, **SIDES, **SPOKEN, "max_source_positions": 20})
        both = ("input_features", "decoder_input_ids")
        return Called(model, *both, use_cache=False), (drawn(2, 8, 40), words(2, 5)), ({0: AUTO}, TEXT)
    return None


# torchvision, torchaudio, torch_geometric, diffusers, timm


class Boxes(nn.Module):
    """Features of boxes that data give."""

    def __init__(self) -> None:
        super().__init__()
        self.pyramid = import_module("torchvision.ops").FeaturePyramidNetwork([3, 3], 4)

    def forward(self, x: T, boxes: T) -> Any:
        levels = self.pyramid({"a": x, "b": nn.functional.max_pool2d(x, 2)})
        return import_module("torchvision.ops").roi_align(levels["a"], boxes, 5), levels["b"]


class Pooled(nn.Module):
    """A graph convolution whose nodes are averaged by graph."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = import_module("torch_geometric.nn")
        self.first = self.layers.GCNConv(8, 5)

    def forward(self, x: T, edges: T, graphs: T) -> Any:
        return self.layers.global_mean_pool(self.first(x, edges).relu(), graphs, 2)


def torchvision(name: str) -> Program | None:
    models = import_module("torchvision.models")
    if name == "roi":
        boxes = torch.tensor([[0, 1.0, 1, 9, 9], [1, 2, 2, 8, 8], [0, 0, 0, 4, 4]])
        return Boxes(), (drawn(2, 3, 32, 48), boxes), (IMAGE, {0: AUTO})
    if name == "video":
        video = import_module("torchvision.models.video.resnet")
        model = video.VideoResNet(video.BasicBlock, [video.Conv3DSimple] * 4, [1] * 4, video.BasicStem, 5)
        return model, (drawn(2, 3, 8, 32, 48),), ({**IMAGE, 4: AUTO},)
    if name == "vit":
        return models.VisionTransformer(32, 8, 1, 2, 16, 24), (drawn(2, 3, 32, 32),), ({0: AUTO},)
    made = {
        "resnet": lambda: models.ResNet(models.resnet.BasicBlock, [1, 1, 1, 1]),
        "squeezenet": lambda: models.squeezenet1_1(weights=None),
    }
    return (made[name](), (drawn(2, 3, 64, 96),), (IMAGE,)) if name in made else None


def torchaudio(name: str) -> Program | None:
    mels = {"n_fft": 64, "hop_length": 20, "n_mels": 8}
    changes, models = import_module("torchaudio.transforms"), import_module("torchaudio.models")
    if name == "melspectrogram":
        parts = changes.MelSpectrogram(8000, **mels), changes.AmplitudeToDB(top_db=80)
        return nn.Sequential(*parts), (drawn(2, 700),), (TEXT,)
    if name in ("mfcc", "resample"):
        module = changes.MFCC(8000, 5, melkwargs=mels) if name == "mfcc" else changes.Resample(8000, 6000)
        return module, (drawn(2, 700),), (TEXT,)
    if name == "conv_tasnet":
        model = models.ConvTasNet(2, 8, 8, 3, 4, 4, 2, 1, msk_activate="relu")
        return model, (drawn(2, 1, 96),), ({0: AUTO, 2: AUTO},)
    if name == "deepspeech":
        return models.DeepSpeech(8, 12, 5), (drawn(2, 1, 9, 8),), ({0: AUTO, 2: AUTO},)
    return None


def geometric(name: str) -> Program | None:
    layers = import_module("torch_geometric.nn")
    edges = torch.randint(0, 6, (2, 15))
    if name == "pool":
        return Pooled(), (drawn(6, 8), edges, torch.tensor([0, 0, 0, 1, 1, 1])), ({0: AUTO}, {1: AUTO}, {0: AUTO})
    if name == "edgeconv":
        model = layers.EdgeConv(nn.Sequential(nn.Linear(16, 6), nn.ReLU(), nn.Linear(6, 4)))
    elif name == "transformer":
        model = layers.TransformerConv(8, 5, heads=2)
    else:
        kinds = {"gcn": "GCN", "gat": "GAT", "sage": "GraphSAGE", "gin": "GIN"}
        model = getattr(layers, kinds[name])(8, 6, num_layers=2, out_channels=4)
    return model, (drawn(6, 8), edges), ({0: AUTO}, {1: AUTO})


def diffusers(name: str) -> Program | None:
    package = import_module("diffusers")
    steps = torch.tensor([3, 4])
    image = {"sample_size": 16, "patch_size": 2, "in_channels": 4, "num_layers": 1, "attention_head_dim": 8}
    if name == "vae":
        blocks = {"down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2}
        model = package.AutoencoderKL(block_out_channels=(8, 16), norm_num_groups=4, latent_channels=2, **blocks)
        return Called(model, "sample"), (drawn(2, 3, 32, 48),), (IMAGE,)
    if name == "dit":
        model = package.DiTTransformer2DModel(**image, num_attention_heads=2, norm_num_groups=4, num_embeds_ada_norm=10)
        names, given = ("hidden_states", "timestep", "class_labels"), (drawn(2, 4, 16, 16), steps, steps - 2)
        return Called(model, *names), given, ({0: AUTO}, {0: AUTO}, {0: AUTO})
    texts = {"joint_attention_dim": 12, "caption_projection_dim": 16, "pooled_projection_dim": 10}
    model = package.SD3Transformer2DModel(
        **image, **texts, num_attention_heads=2, out_channels=4, pos_embed_max_size=16
    )
    names = ("hidden_states", "encoder_hidden_states", "pooled_projections", "timestep")
    given = (drawn(2, 4, 16, 16), drawn(2, 7, 12), drawn(2, 10), steps)
    return Called(model, *names), given, (IMAGE, TEXT, {0: AUTO}, {0: AUTO})


def timm(name: str) -> Program | None:
    tiny = {"img_size": 64, "depths": (1, 1), "embed_dim": 8, "num_heads": (2, 2), "window_size": 4}
    patched = {"embed_dim": 16, "depth": 1, "num_heads": 2, "dynamic_img_size": True}
    made = {
        "swin": ("swin_tiny_patch4_window7_224", tiny, (64, 64)),
        "vit": ("vit_tiny_patch16_224", {"img_size": 64, "patch_size": 8, **patched}, (64, 48)),
        "eva": ("eva02_tiny_patch14_224", {"img_size": 56, **patched, "embed_dim": 24}, (56, 56)),
        "efficientnet_ln": ("test_efficientnet_ln", {}, (160, 160)),
    }
    title, settings, size = made[name]
    model = import_module("timm").create_model(title, pretrained=False, **settings)
    return model, (drawn(2, 3, *size),), (IMAGE,)


MADE = {
    "hf": (transformers, (*ENCODERS, *DECODERS, *SEEN, "mamba", "t5", "wav2vec2", "whisper")),
    "tv": (torchvision, ("roi", "video", "vit", "resnet", "squeezenet")),
    "ta": (torchaudio, ("melspectrogram", "mfcc", "resample", "conv_tasnet", "deepspeech")),
    "pg": (geometric, ("gcn", "gat", "sage", "gin", "transformer", "edgeconv", "pool")),
    "df": (diffusers, ("vae", "dit", "sd3")),
    "timm": (timm, ("swin", "vit", "eva", "efficientnet_ln")),
}
"""For each package, the function that makes its models, and their names."""


def archive(module: nn.Module, args: tuple[T, ...], sizes: tuple[Any, ...]) -> bytes:
    """Return the archive of a program without weights."""
    varying = (sizes,) if isinstance(module, Called) else sizes
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(module.eval(), args, dynamic_shapes=varying, strict=False), file)
    return without_weights(file.getvalue())


if __name__ == "__main__":
    version = "_".join(torch.__version__.split(".")[:2])
    for package, (make, names) in MADE.items():
        for each in names:
            title = f"{package}_{each}"
            if sys.argv[2:] and title not in sys.argv[2:]:
                continue
            torch.manual_seed(0)
            try:
                program = make(each)
            except ImportError as missing:
                print(f"{title}: {missing}")
                continue
            if program is not None:
                Path(sys.argv[1], f"{title}_{version}.pt2").write_bytes(archive(*program))
                print(title, flush=True)
