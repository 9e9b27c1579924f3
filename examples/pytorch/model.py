"""A text classifier; `python model.py` exports it with PyTorch."""

import torch
from torch import nn


class Classifier(nn.Module):
    """Sums of word and position embeddings, averaged and classified."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(10, 8)
        self.positions = nn.Embedding(512, 8)
        self.head = nn.Linear(8, 5)

    def forward(self, ids):
        order = torch.arange(ids.shape[1])
        x = self.words(ids) + self.positions(order)
        return self.head(x.mean(dim=1))


if __name__ == "__main__":
    batch, seq = torch.export.Dim("batch", min=1, max=32), torch.export.Dim("seq", min=1, max=1024)
    ids = torch.zeros(2, 16, dtype=torch.int64)
    program = torch.onnx.export(Classifier().eval(), (ids,), dynamo=True, dynamic_shapes={"ids": {0: batch, 1: seq}})
    program.save("classifier.onnx")
