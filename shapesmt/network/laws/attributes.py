"""Laws of a node itself: its attributes, element types, bodies and assertions; laws checked when a file is loaded."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM402 = Code(
    "SM402", "loop state",
    "What a loop carries keeps its shape from trip to trip, and each trip makes outputs of one shape.",
    "Use a Loop, whose carried tensors may grow, or make what grows a scan output; build a sequence where the "
    "trips make outputs of different shapes.",
    "g (float[k] start, float[n, m] x) => (float[a] end)\n"
    "{ end = Scan <num_scan_inputs = 1, body = b (float[c] s, float[m] e) => (float[d] t)\n"
    "    { t = Concat <axis = 0> (s, e) }> (start, x) }",
)  # fmt: skip
STATE_KEEPS_SHAPE = SM402.law("a state keeps its shape from trip to trip")
SCAN_OUTPUT_KEEPS_SHAPE = SM402.law("every trip makes a scan output of the same shape")

SM403 = Code(
    "SM403", "subgraph signature",
    "The body of an If, Loop or Scan, or of a function, takes and makes what the node hands over.",
    "Count the inputs and outputs of the body: states first, then what is scanned.",
    "g (float[n, m] x) => (float[n, m] y)\n"
    "{ y = Scan <num_scan_inputs = 1, body = b (float[m] e, float[m] f) => (float[m] h) { h = Add (e, f) }> (x) }",
)  # fmt: skip
SCAN_DIRECTIONS_0_OR_1 = SM403.law("'{name}' has a 0 or 1 per scan {kind}")
SCAN_INPUT_AXES_ENTRY_PER_INPUT = SM403.law("'scan_input_axes' has one entry per scan input")
SCAN_OUTPUT_AXES_ENTRY_PER_OUTPUT = SM403.law("'scan_output_axes' has one entry per scan output")
CALL_NAMES_ALL_OUTPUTS = SM403.law("a call names every output of its function")
BODY_MAKES_STATES = SM403.law("the body makes all loop state variables")
BODY_MAKES_CONDITION_AND_CARRIED = SM403.law("the body makes the condition and each carried tensor")
BRANCH_TAKES_NO_INPUT = SM403.law("a branch takes no input")
BODY_TAKES_INPUTS = SM403.law("the body takes each input")
BODY_TAKES_STATES_AND_SLICES = SM403.law("the body takes each state and num_scan_inputs slices")
BODY_TAKES_TRIP_CONDITION_CARRIED = SM403.law("the body takes the trip, the condition and each carried tensor")
BODY_TENSORS_OF_DECLARED_TYPE = SM403.law("the body's tensors are of their declared type, {dtype}")
BODY_INPUTS_OF_DECLARED_SIZE = SM403.law("the body's inputs have their declared sizes")
BODY_OUTPUTS_OF_DECLARED_SIZE = SM403.law("the body's outputs have their declared sizes")
BODY_RUNS_ON_DECLARED_SIZES = SM403.law("the body runs on its declared sizes, too")
BODY_TENSORS_OF_DECLARED_SIZE = SM403.law("the body's tensors have their declared sizes")
BODY_TENSORS_OF_DECLARED_RANK = SM403.law("the body's tensors have their declared rank")
BODY_DECLARES_RANKS = SM403.law("the body declares the ranks of its iteration number and condition")
BODY_OUTPUTS_OF_KNOWN_RANK = SM403.law("the ranks of the body's outputs are known before it runs")

SM406 = Code(
    "SM406", "assertion",
    "What the model itself asserts of its sizes holds.",
    "Keep to the inputs for which it holds (the report gives the condition for --assume), or drop the assertion "
    "where the model is made.",
    '<ir_version: 10, opset_import: ["": 18, "tensorflow": 1]>\n'
    "g (float[n, 4] x) => (float[n, 4] y)\n<int64 axis = {1}, int64 three = {3}>\n"
    "{ shape = Shape (x)\n  width = Gather (shape, axis)\n  same = Equal (width, three)\n"
    "  = tensorflow.Assert (same)\n  y = Abs (x) }",
)  # fmt: skip
ASSERTION_HOLDS = SM406.law("the assertion holds", broken="the assertion fails")
ASSERTED = SM406.law("the assertion {condition} holds", broken="the assertion fails")

SM407 = Code(
    "SM407", "guard",
    "Inputs pass the guards that PyTorch wrote into the program when it was exported, and checks before it runs.",
    "Ask what the nodes need by themselves with --guards ignore, as where the program is lowered and nothing "
    "checks them; to have other sizes accepted, export again with dynamic_shapes that say so.",
    '<ir_version: 10, opset_import: ["": 18, "torch": 1]>\n'
    'g (float[n, 4] x) => (float[n, 4] y)\n{ y = Abs (x)\n  = torch._guards_fn <guards = ["i0_1 == 3"]> (x) }',
)  # fmt: skip
GUARD_HOLDS = SM407.law(
    "the inputs pass the guards that PyTorch checks before a run", broken="PyTorch's guards refuse the input"
)

SM408 = Code(
    "SM408", "file that isn't loaded",
    "ONNX Runtime loads the file: operators are of an imported opset, names are unique, types are as declared, and "
    "no node contradicts declared shapes, in functions and in branches that never run, too.",
    "Look at the node with `onnx.checker.check_model(path, full_check=True)`, and mend the program that wrote it.",
    "g (float[n] x) => (float[n] y)\n{ a = Exp (x)\n  true = Constant <value = bool {1}> ()\n"
    "  y = If <then_branch = t () => (float[n] b) { a = Abs (x) b = Neg (a) },\n"
    "          else_branch = e () => (float[n] c) { c = Log (x) }> (true) }",
)  # fmt: skip
IR_VERSION_STATED = SM408.law("the file states its IR version")
IR_VERSION_LOADED = SM408.law(
    "the IR version is at most {newest}, the newest that ONNX Runtime {runtime} loads, not {version}"
)
OPSET_LOADED = SM408.law(
    "the {where} imports at most version {newest} of the operator set '{domain}', the newest that ONNX Runtime "
    "{runtime} loads, not {version}",
)
OPERATOR_IN_OPSET = SM408.law("operator {op} is in opset {version}")
OPERATOR_SET_IMPORTED = SM408.law("the {where} imports the operator set '{domain}' of {op}")
FUNCTION_FITS_OWN_OPSETS = SM408.law("in function '{function}' {law}, by the opset that it imports")
FUNCTION_CONSTANTS_OF_FLOATS = SM408.law("constants in function '{function}' are floats, by the opset it imports")
FUNCTION_OF_OWN_DOMAIN = SM408.law("function '{function}' isn't of ONNX's own domain")
FUNCTION_MAKES_OUTPUTS = SM408.law("function '{function}' makes its output '{name}', which isn't an input")
INPUT_HAS_TYPE = SM408.law("input '{name}' declares its type")
CONSTANT_HAS_TYPE = SM408.law("constant '{name}' is of a known element type")
TENSOR_OF_DECLARED_TYPE = SM408.law("'{name}' is of its declared type, {dtype}")
BODIES_MAKE_ONE_TYPE = SM408.law("what the bodies take and make is of one type, not {one} and {other}")
HOLDS_WHEN_LOADED = SM408.law("{law}, when the model is loaded, whether or not the node runs")
NODE_NAMES_DIFFER = SM408.law("only one node is called '{name}'")
BODY_NAMES_ARE_NEW = SM408.law("no node of a body makes '{name}', which is the name of a tensor around the body")
BODY_NODES_IN_ORDER = SM408.law("in a body, '{name}' stands before the nodes that read it")
BODY_MAKES_OUTPUTS = SM408.law("the body itself makes its output '{name}'")
BRANCHES_MAKE_THE_SAME = SM408.law("both branches make the same number of outputs")

SM501 = Code(
    "SM501", "element type",
    "Inputs have element types that the operator takes, equal ones where it says so.",
    "Insert a Cast before the node; float and int constants mixed by hand are the usual cause.",
    "g (float[n] x, int64[n] y) => (float[n] z) { z = Add (x, y) }",
)  # fmt: skip
QUERIES_KEYS_VALUES_SAME_TYPE = SM501.law("queries, keys and values have the same element type")
SIZES_INT64 = SM501.law("the sizes are of type int64")
INPUT_OF_TYPES = SM501.law("'{name}' is of type {types}, not {dtype}")
INPUTS_SAME_TYPE = SM501.law("'{name}' and '{other}' have the same element type, not {dtype} and {second}")
KEEPS_ELEMENT_TYPE = SM501.law("'{name}' keeps the element type")
MAKES_ONE_TENSOR = SM501.law("'{name}' makes one tensor")
ATTRIBUTE_NAMES_ELEMENT_TYPE = SM501.law("attribute '{name}' names an element type, not '{text}'")
FLOAT_REMAINDER_WITH_FMOD = SM501.law("before opset 28, floats have a remainder with fmod=1 only")
ELEMENT_TYPES_SAME_BITS = SM501.law("both element types have as many bits, not {bits}")
INPUT_OF_TYPE_SEQUENCE = SM501.law("input 0 is of type sequence")
INPUT_OF_TYPE_LIST = SM501.law("input {index} is of type list")
OPERANDS_SAME_TYPE = SM501.law("operands have the same element type, not {types}")
OPERANDS_ONE_TYPE = SM501.law("both operands have one element type")
CHANGED_HOLDS_RESULTS = SM501.law("a tensor of type {dtype} that is changed in place can hold results of type {result}")
SAMPLES_ARE_NUMBERS = SM501.law("samples aren't boolean")
NEGATED_NOT_BOOLEAN = SM501.law("what is negated isn't boolean")
FOLDS_FLOATS = SM501.law("what is averaged or measured are floats")
INPUT_COMPLEX = SM501.law("the input is complex")
MASK_BOOLEAN = SM501.law("the mask is boolean")
SCALES_FLOAT32 = SM501.law("scales are of type float32")
TENSORS_AND_ZERO_POINTS_SAME_TYPE = SM501.law("tensors and zero points have the same element type")
MASK_BOOL_OR_OF_QUERIES_TYPE = SM501.law("the mask is boolean, or of the queries' type")
SCORES_OF_QUERIES_TYPE = SM501.law("scores beside a mask of another type are of the queries' type, not {dtype}")
SAME_TYPE_AS_INPUT = SM501.law("the {kind} have the type of the input")
DEFAULT_TYPE_OF_VALUES = SM501.law("the default has the type of the values")
DESTINATION_F8 = SM501.law("the destination is of type f8e4m3 or f8e5m2, not {kind}")
QUANTIZED_ENDS_FIT = SM501.law("the ends of the quantized numbers fit the element type")
ELEMENT_TYPE = SM501.law("the element type is {expected}, not {dtype}")
FLOAT_SCALES_INTEGER_SIZES = SM501.law("the element type is a float for scales, an integer for sizes")
INTEGER_OR_MASKED_BOOL = SM501.law("the element type is an integer, or bool with mode mask")
SEQUENCE_AND_TENSOR_SAME_TYPE = SM501.law(
    "the sequence and the tensor have the same element type, not {sequence} and {tensor}"
)
ZERO_POINT_OF_OUTPUT_TYPE = SM501.law("the zero point has the output's type {expected}, not {dtype}")

SM502 = Code(
    "SM502", "attribute",
    "An attribute has the type and one of the values that the operator defines.",
    "Correct the attribute where the model is made; the report names the values that are possible.",
    "g (float[n, 4] x) => (float[n, 4] y) { y = LpNormalization <p = 3> (x) }",
)  # fmt: skip
ATTRIBUTE_1_FOR_BATCH = SM502.law("'{name}' has 1 for the batch")
ATTRIBUTE_ENTRIES = SM502.law("'{name}' has {count} entries")
ATTRIBUTE_AT_LEAST = SM502.law("'{name}' is at least {least}, not {value}")
ATTRIBUTE_POSITIVE = SM502.law("'{name}' is positive, not {value}")
ATTRIBUTE_IS_THAT_OF_WEIGHTS = SM502.law("'{name}' is that of the weights")
ATTRIBUTE_KEEPS_SHAPE = SM502.law("'{name}' keeps the shape")
WINDOW_SIZE_AT_LEAST_MINUS_1 = SM502.law("'{side}_window_size' is at least -1, not {window}")
DST_FORMAT_LETTERS = SM502.law("'dst_format' has the letters of '{source}'")
EXPLICIT_PADDINGS_ENTRIES = SM502.law("'explicit_paddings' has {count} entries")
EXPLICIT_PADDINGS_FOR_EXPLICIT = SM502.law("'explicit_paddings' is for padding EXPLICIT")
KERNEL_PARAMS_THREE_ENTRIES = SM502.law("'kernel_params' has three entries")
NEAREST_MODE = SM502.law("'nearest_mode' is {modes}")
NGRAM_COUNTS_PER_LENGTH = SM502.law("'ngram_counts' has an entry per length of n-grams")
NGRAM_INDEXES_LIST = SM502.law("'ngram_indexes' lists indices")
PADDING_IS_NOT = SM502.law("'padding' is not '{padding}'")
PROB_A_AND_PROB_B_AS_MANY = SM502.law("'prob_a' and 'prob_b' have as many entries")
SIZES_STRIDES_RATES_2_ENTRIES = SM502.law("'sizes', 'strides' and 'rates' have 2 entries")
STRIDES_AND_PADS_2_ENTRIES = SM502.law("'strides' and pads have 2 entries")
STRIDES_DILATIONS_PADS_ENTRIES = SM502.law("'strides', 'dilations' and pads have {count} entries")
WEIGHTS_ENTRY_PER_N_GRAM = SM502.law("'weights' has an entry per n-gram")
NUM_OUTPUTS_COUNTS_OUTPUTS = SM502.law("attribute 'num_outputs' is the number of outputs")
SPLIT_SIZES_OR_NUM_OUTPUTS = SM502.law("a list of sizes or attribute 'num_outputs' is given")
RANGE_HAS_AN_END = SM502.law("a range has one end at least")
PAD_VALUE_OF_CONSTANTS = SM502.law("a value to pad with is for mode constant")
SHIFT_PER_AXIS = SM502.law("there is a shift for each axis that is named, or one for all")
PLANE_OF_TWO_AXES = SM502.law("a plane has two axes")
REPEAT_COUNT_PER_AXIS = SM502.law("there are at least as many repeats as axes")
MASK_0_AND_1 = SM502.law("a mask lists 0 and 1")
REGION_AT_LEAST_1_HIGH_AND_WIDE = SM502.law("a region is at least 1 high and wide, not {size}")
IMAGE_CHANNELS_OF_FORMAT = SM502.law("an image has a number of channels that its format has")
IMAGE_1_3_OR_4_CHANNELS = SM502.law("an image has one, three or four channels")
INPUT_OR_TYPE_GIVEN = SM502.law("an input or attribute 'type' is given")
NO_ATTRIBUTE = SM502.law("there is no attribute '{name}'")
ATTRIBUTE_GIVEN = SM502.law("attribute '{name}' is given")
SEPARATORS_OR_TOKENEXP = SM502.law("attribute 'separators' or 'tokenexp' is given")
ATTRIBUTE_OF_KIND = SM502.law("attribute '{name}' is {kind}")
ATTRIBUTE_NAMES_OUTPUT_TYPE = SM502.law("attribute '{name}' names a type that the output may have")
ATTRIBUTE_IS_ONE_OF = SM502.law("attribute '{name}' is {values} or {last}")
NAMED_ATTRIBUTE_POSITIVE = SM502.law("attribute '{name}' is positive")
ATTRIBUTE_IS = SM502.law("attribute '{name}' {what}")
ATTRIBUTE_IS_NUMBER = SM502.law("attribute '{name}' is a number")
ATTRIBUTE_ONE_OF = SM502.law("attribute '{name}' is one of {values}, not {value}")
ATTRIBUTE_IS_HEAD_COUNT = SM502.law("attribute '{name}' is the number of heads")
ATTRIBUTE_LISTS_INTEGERS = SM502.law("attribute '{name}' lists integers")
ATTRIBUTE_LISTS_NUMBERS = SM502.law("attribute '{name}' lists numbers")
EXCLUDE_OUTSIDE_0 = SM502.law("attribute 'exclude_outside' is 0 in this mode")
GROUP_POSITIVE = SM502.law("attribute 'group' is positive")
K_IS_2_WITH_SPARSE_MIXER = SM502.law("attribute 'k' is 2 with 'use_sparse_mixer'")
KV_CACHE_BIT_WIDTH_0 = SM502.law("attribute 'kv_cache_bit_width' is 0")
ROUND_MODE_FOR_8_BITS = SM502.law("attribute 'round_mode' is for 8 bits")
SATURATE_FOR_8_BITS = SM502.law("attribute 'saturate' is for 8 bits")
SCALE_ATTRIBUTE_POSITIVE = SM502.law("attribute 'scale' is positive")
STASH_TYPE_FLOAT = SM502.law("attribute 'stash_type' is a float type")
CHANNELS_NOT_IN_BLOCKS = SM502.law("channels aren't in blocks, as with {layout}")
EPSILON_AT_LEAST_0 = SM502.law("epsilon is at least 0")
ONE_ATTRIBUTE_HAS_VALUE = SM502.law("exactly one attribute has the value")
ONE_ATTRIBUTE_LISTS = SM502.law("exactly one attribute lists the {side}")
ONE_ATTRIBUTE_LISTS_CATEGORIES = SM502.law("exactly one attribute lists the categories")
ONE_ATTRIBUTE_LISTS_CLASSES = SM502.law("exactly one attribute lists the classes")
INDEX_TUPLES_ASCENDING = SM502.law("index tuples are in ascending order, none twice")
K_AT_LEAST_1 = SM502.law("k is at least 1")
MASKS_SAME_LENGTH = SM502.law("masks are of the same length")
MAX_DETECTIONS_NOT_NEGATIVE = SM502.law("max_detections_per_image is at least 0, not {most}")
MAX_ROIS_NOT_NEGATIVE = SM502.law("max_rois is at least 0, not {most}")
PAD_MODE_KNOWN = SM502.law("mode '{mode}' is constant, reflect, edge or wrap")
N_GRAMS_AT_LEAST_MIN_GRAM_LENGTH = SM502.law("n-grams have at least 'min_gram_length' elements")
N_GRAMS_AT_LEAST_MIN_NGRAM_SIZE = SM502.law("n-grams have at least 'min_ngram_size' elements")
N_GRAMS_AT_LEAST_TWO = SM502.law("n-grams have at least two elements, not {longest}")
N_GRAMS_DIFFER = SM502.law("no n-gram is in the pool twice")
QK_OUTPUT_MODE = SM502.law("attribute 'qk_matmul_output_mode' is one from -1 to 3")
FLATTEN_AXIS_NOT_NEGATIVE = SM502.law("attribute 'axis' is not negative before opset 11")
WEIGHTS_PREPACKED_OR_NOT = SM502.law("'weights_prepacked' is -1, 0 or 1")
OFFSET_GIVEN = SM502.law("'rho' has a number")
COEFFICIENT_PER_SUPPORT_VECTOR = SM502.law("there is a coefficient per support vector")
N_GRAMS_IN_POOL = SM502.law("n-grams have their part of the pool, by length")
GRID_SIZED_AS_MAP = SM502.law("the grid has the size of the map")
BOXES_KEPT_OF_THOSE_CONSIDERED = SM502.law("no more boxes are kept than are considered")
CHANNELS_FOR_BOXES = SM502.law("there are channels for the coordinates and classes of a box, and a box")
NMS_ETA_1 = SM502.law("nms_eta is 1")
NMS_ETA_0_TO_1 = SM502.law("nms_eta is between 0 and 1")
NMS_TOP_K_MINUS_1_OR_MORE = SM502.law("nms_top_k and the like are -1 or more")
NO_STEP_0 = SM502.law("no step is 0")
UNIFORM_NOISE_IS_NOT = SM502.law("noise that is uniform isn't '{noise}'")
QUANTIZED_TO_1_BIT_OR_MORE = SM502.law("numbers are quantized to 1 bit or more, and {most} at most")
QUANTIZED_TO_2_TO_16_BITS = SM502.law("numbers are quantized to 2 bits or more, and 16 at most")
ONLY_SCALED_ROUNDS_HALF_TO_EVEN = SM502.law("only mode SCALED rounds half to even")
ONLY_DETERMINISTIC_HAS_SEEDS = SM502.law("only what is deterministic has seeds")
OUTPUT_SIZE_NOT_NEGATIVE = SM502.law("output_size is at least 0, not {size}")
POST_NMS_COUNT_NOT_NEGATIVE = SM502.law("post_nms_count is at least 0, not {most}")
ROWS_END_ASCENDING = SM502.law("rows end in ascending order")
IOU_THRESHOLD_0_TO_1 = SM502.law("the IoU threshold is between 0 and 1, not {overlap}")
ALGORITHM_1_OR_3 = SM502.law("the algorithm is 1, or 3 to choose one")
CHANNELS_ATTRIBUTE_POSITIVE = SM502.law("the attribute channels is positive")
ATTRIBUTE_OF_KIND_LIST = SM502.law("the attribute of the {kind} is a list")
SCALES_ATTRIBUTE_1_1_HEIGHT_WIDTH = SM502.law("the attribute scales is [1, 1, height, width]")
BEAM_AS_WIDE_AS_PATHS = SM502.law("the beam is as wide as there are paths")
BOUNDARIES_ASCENDING = SM502.law("the boundaries are in ascending order")
FREQUENCIES_ARE_RANGE = SM502.law("the frequencies are a range")
RANDOM_KEY_TWO_NUMBERS = SM502.law("the key is two numbers")
LABELS_ARE_DATA = SM502.law("the labels are data")
METHOD_MAX_OR_BILINEAR = SM502.law("the method is max or bilinear")
MODE_ONE_OF_THREE = SM502.law("the mode is {first}, {second} or {third}")
MODE_DCR_OR_CRD = SM502.law("the mode is DCR or CRD")
MODE_AVERAGE_OR_BILINEAR = SM502.law("the mode is average or bilinear, not {mode}")
NORM_1_OR_2 = SM502.law("the norm is 1 or 2, not {norm}")
BOX_COUNTS_AT_LEAST_1 = SM502.law("the number of boxes before and after is at least 1, not {least}")
BOX_COUNT_POSITIVE = SM502.law("the number of boxes is positive")
THREE_SECTIONS = SM502.law("there are three sections, none of negative size, not {sections}")
SUMMED_CHANNELS_NOT_NEGATIVE = SM502.law("the number of channels summed is at least 0, not {size}")
SUMMED_CHANNELS_ODD = SM502.law("the number of channels summed is odd, not {size}")
PIXEL_FORMAT_KNOWN = SM502.law("the pixel format is RGB, BGR or Grayscale, not '{format}'")
RANGE_HAS_0 = SM502.law("the range that is asked for has 0 in it")
DENSE_FEATURE_RANKS_KNOWN = SM502.law("the ranks of dense features are known")
SAMPLE_RATE_POSITIVE = SM502.law("the rate of samples is positive")
SCALE_POSITIVE = SM502.law("the scale is positive")
FILE_SIZE_POSITIVE = SM502.law("the size, as the file has it, is positive")
STEP_OVER_SINGLE_ELEMENT_POSITIVE = SM502.law("the step over a single element is positive")
STRIDE_AT_LEAST_1 = SM502.law("the stride is at least 1, not {stride}")
OVERLAP_THRESHOLD_0_TO_1 = SM502.law("the threshold of overlaps is between 0 and 1")
WINDOW_POSITIVE = SM502.law("the window is positive, not {window}")
RATIO_AT_LEAST_1_PER_AXIS = SM502.law("there is a ratio of at least 1 for each axis")
WEIGHTS_FOR_SUMS = SM502.law("weights are for sums")
WEIGHTS_2_4_OR_8_BITS = SM502.law("weights have 2, 4 or 8 bits, not {bits}")
DEFAULT_ONE_VALUE_OR_NONE = SM502.law("a default is one value, or none")
ALL_COLUMNS_READ = SM502.law("all columns are read")
EMPTY_AND_DELETED_KEYS_DIFFER = SM502.law("an empty place and a deleted key look different")
JOINED_NEIGHBOUR_COUNT = SM502.law("as many neighbours are joined as is said, one at least")
PADDED_AXES_ALL_OR_SPATIAL = SM502.law("axes that are padded are all or the spatial ones, in order")
INPUT_LIST_FOLLOWED = SM502.law("input {index} is a list that is followed")
ROW_LIST_KINDS_GO_TOGETHER = SM502.law("lists of rows are of kinds that go together")
ONE_CHARACTER_BETWEEN_COLUMNS = SM502.law("one character is between columns")
SOME_PLACES_EMPTY = SM502.law("some places stay empty, and not all")
UNICODE_ENCODING = SM502.law("the encoding is one of Unicode's")
LENGTH_MULTIPLE_OF_NUMBER = SM502.law("the length is a multiple of that of a number")
PLACE_COUNT_POWER_OF_2 = SM502.law("the number of places is a power of two, 4 or more")
PART_IS_PLACE_AND_SIZE = SM502.law("the part is a place and a size")
TABLE_MADE_BY_MODEL = SM502.law("the table is made by the model")
PLACEHOLDER_IS_CHARACTER = SM502.law("what stands for others is a character")
FIRST_OR_LAST_AXIS = SM502.law("the axis is the first or the last")
DEVIATION_NOT_NEGATIVE = SM502.law("the deviation isn't negative")
