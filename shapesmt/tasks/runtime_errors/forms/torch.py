"""Forms of the messages of PyTorch, and of the programs that `torch.export` makes."""

from __future__ import annotations

from functools import partial

from shapesmt.tasks.runtime_errors.forms.form import Stop, form

__all__ = ["FORMS"]

RUNTIME = "torch"
says = partial(form, RUNTIME)
_BATCH2 = r"Expected size for first two dimensions of batch2 tensor to be: "
FORMS = (
    says(r"size of tensor a \(<a>\) must match the size of tensor b \(<b>\) at non-singleton dimension <axis>",
         "SM101", "SM107", stop=Stop.LAST),
    says(r"output with shape \[<shape>\] doesn't match the broadcast shape \[<_>", "SM101"),
    says(r"The expanded size of the tensor \(<b>\) must match the existing size \(<a>\) at non-singleton dimension "
         r"<target_axis>\. {1,2}Target sizes: \[<e1>\]\. {1,2}Tensor sizes: \[<i0>\]",
         "SM101", "SM107", stop=Stop.LAST),
    says(r"value tensor of shape \[<shape>\] cannot be broadcast to indexing result of shape \[<_>", "SM101"),
    says(r"subscript \w has size <_> for operand <_> which does not broadcast with previously seen size <_>", "SM101"),
    says(r"mat1 and mat2 shapes cannot be multiplied \(<rows>x<a> and <b>x<columns>\)", "SM102", "SM117",
         stop=Stop.FIRST),
    says(rf"{_BATCH2}\[(?P<batch>\d{{1,19}}), <a>\] but got: \[(?P=batch), <b>\]", "SM102", "SM115", stop=Stop.FIRST),
    says(rf"{_BATCH2}\[<_>, <_>\] but got: \[<_>, <_>\]", "SM101", "SM102", "SM107", "SM115", "SM116"),
    says(r"size mismatch, got input \(<size>\), mat \(<size2>x<size3>\), vec \(<size4>\)", "SM102"),
    says(r"inconsistent tensor size, expected tensor \[<a>\] and src \[<b>\] to have the same number of elements,"
         r" but got (?P=a) and (?P=b) elements respectively", "SM102", stop=Stop.FIRST),
    says(r"contracted dimensions need to match, but first has size <a> in dim -?\d{1,3} and second has size <b> in dim"
         r" -?\d{1,3}", "SM102"),
    says(r"X1 and X2 must have the same number of columns\. X1: <a> X2: <b>", "SM102", stop=Stop.FIRST),
    says(r"Incompatible shapes of A and B for the equation [AX]{2} = B \(<size>x<size2> and <size3>x<size4>\)",
         "SM102"),
    says(r"A must be batches of square matrices, but they are <a> by <b> matrices", "SM102", stop=Stop.FIRST),
    says(r"Sizes of tensors must match except in dimension <own>\. Expected size <a> but got size <b>"
         r" for tensor number <number> in the list", "SM103", stop=Stop.FIRST),
    says(r"Tensors must have same number of dimensions: got \d{1,3} and \d{1,3}", "SM103"),
    says(r"shape '\[<e1>\]' is invalid for input of size <n0>", "SM104", "SM105"),
    says(r"view size is not compatible with input tensor's size and stride", "SM104"),
    says(r"Provided sizes \[<e1>\] don't multiply up to the size of dim <own> \(<along>\)", "SM104", "SM105"),
    says(r"Tensor must have a last dimension of size 2", "SM104"),
    says(r"setStorage: sizes \[<e1>\], strides \[[\d, -]{1,100}\], storage offset \d{1,19}, and itemsize \d{1,3}"
         r" requiring a storage size of <_> are out of bounds for storage of size <_>", "SM104"),
    says(r"Given groups=<group>, weight of size \[<i1>\], expected input\[<i0b>\] to have <b> channels,"
         r" but got <a> channels instead", "SM106", stop=Stop.FIRST),
    says(r"Given transposed=<one>, weight of size \[<i1>\], expected input\[<i0b>\] to have <b> channels,"
         r" but got <a> channels instead", "SM106", stop=Stop.FIRST),
    says(r"Expected number of channels in input to be divisible by num_groups, but got input of shape \[<i0>\] and"
         r" num_groups=<group>", "SM106"),
    says(r"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got"
         r" input\.size\(1\)=<a> and kernel_size=\(\d{1,9}, \d{1,9}\)", "SM106"),
    says(r"stack expects each tensor to be equal size, but got \[<i0>\] at entry 0 and \[<that>\] at entry <number>",
         "SM107"),
    says(r"The shape of the mask \[<shape>\] at index <_> does not match the shape of the indexed tensor \[<i0>\] at"
         r" index <_>", "SM107"),
    says(r"Given normalized_shape=\[<e1>\], expected input with shape \[\*(?:, \d{1,19}){0,8}\], but got input of"
         r" size\[<i0>\]", "SM108"),
    says(r"(?:running_mean|running_var|weight|bias) should contain <_> elements not <_>", "SM108"),
    says(r"Expected (?:weight|bias) to be a vector of size equal to the number of channels in input, but got (?:weight|"
         r"bias) of shape \[<shape>\] and input of shape \[<i0>\]", "SM108"),
    says(r"Found parameter numbers = <b> and channel size = <a>", "SM108"),
    says(r"sum exactly to <along> \(input tensor's size at dimension <own>\), but got split_sizes=\[<e1>\]", "SM110"),
    says(r"attempted to split along dimension <_>, but the size of the dimension <size> is not divisible by the"
         r" split_size <_>", "SM110"),
    says(r"Halving dimension must be even, but dimension <own> is size <along>", "SM110"),
    says(r"'channel' dimension to be divisible by the square of upscale_factor, but input\.size\(-3\)=<a> is not"
         r" divisible by <b>", "SM111", stop=Stop.FIRST),
    says(r"Expected input batch_size \(<_>\) to match target batch_size \(<_>\)", "SM116"),
    says(r"grid_sampler\(\): expected grid and input to have same batch size, but got input with sizes \[<i0>\] and"
         r" grid with sizes \[<i1>\]", "SM116"),
    says(r"grid_sampler\(\): expected grid to have size [23] in last dimension, but got grid with sizes \[<i1>\]",
         "SM206"),
    says(r"Calculated padded input size per channel: \(<padded>\)\. Kernel size: \([\dx ]{1,60}\)\."
         r" Kernel size can't be greater than actual input size", "SM201", "SM204"),
    says(r"Given input size per channel: \(<i0t>\)\. Calculated output size per channel: \([\dx -]{1,60}\)\."
         r" Output size is too small", "SM201", "SM204"),
    says(r"Given input size: \(<i0t>\)\. Calculated output size: \([\dx -]{1,80}\)\. Output size is too small",
         "SM201", "SM204"),
    says(r"Given input with spatial size \(<i0t>\), [^\n]{1,300}calculated shape of the array of sliding blocks as"
         r" \([\d, -]{1,60}\)", "SM201", "SM204"),
    says(r"expected size of input's dimension 2 to match the calculated number of sliding blocks [^\n]{1,60}= <b>,"
         r" but got input\.size\(2\)=<a>", "SM206", stop=Stop.FIRST),
    says(r"maximum size for tensor at dimension <own> is <along> but size is <attr_size>", "SM201"),
    says(r"Padding size should be less than the corresponding input dimension, but got: padding \([\d, -]{1,60}\) at"
         r" dimension \d{1,3} of input \[<i0>\]", "SM203"),
    says(r"Padding size \d{1,3} is not supported for \dD input tensor", "SM203", "SM303"),
    says(r"Expected \dD or \dD \(batch mode\) tensor [\w -]{1,100}(?:for input)?, but got: ?\[<i0>\]",
         "SM203", "SM204", "SM303"),
    says(r"Expected input to have non-zero size for non-batch dimensions, but input has sizes \[<i0>\] with dimension"
         r" \d{1,3}", "SM204"),
    says(r"Input and output sizes should be greater than 0, but got input \([DHW:\d, ]{1,60}\) output", "SM204"),
    says(r"Expected reduction dim (?:-?\d{1,3} )?to (?:have non-zero size|be specified for input\.numel\(\) == 0)",
         "SM204"),
    says(r"index out of range in self", "SM301"),
    says(r"can't allocate memory: you tried to allocate <bytes> bytes"),
    says(r"self indexing axis dim should be positive", "SM301"),
    says(r"index is out of bounds for dimension with size 0", "SM301"),
    says(r"index -?\d{1,19} is out of bounds for dimension \d{1,3} with size <size>", "SM301"),
    says(r"Size does not match at dimension \d{1,3} expected index \[<i1>\] to be no larger than self \[<i0>\] apart"
         r" from dimension <own>", "SM301"),
    says(r"Expected index \[<i1>\] to be (?:no larger|smaller) than self \[<i0>\] apart from dimension <own>"
         r"(?: and to be (?:no larger size|smaller size) than src \[<i2>\])?", "SM301"),
    says(r"select\(\): index <attr_index> out of range for tensor of size \[<i0>\] at dimension <own>", "SM301"),
    says(r"start \(<attr_start>\) \+ length \(<attr_length>\) exceeds dimension size \(<along>\)", "SM301"),
    says(r"start out of range \(expected to be in range of \[-?\d{1,19}, <along>\], but got <attr_start>\)", "SM301"),
    says(r"narrow\(\): length must be non-negative", "SM203", "SM309"),
    says(r"Dimension out of range \(expected to be in range of \[<_>, <_>\], but got <_>\)", "SM302", "SM303"),
    says(r"selected (?:index|number) k out of range", "SM305"),
    says(r"Guard failed: (?P<guard>[^\n]{1,2000})", "SM407", stop=Stop.FIRST),
    says(r"Expected input at \*args\[<place>\](?:\['?(?P<key>\w{1,100})'?\])?\.shape\[<axis>\] to be (?:equal to )?"
         r"(?P<relation>[<>]= )?<declared>, but got <got>"),
    says(r"Constraints violated \([^)\n]{1,300}\)!"),
)  # fmt: skip
