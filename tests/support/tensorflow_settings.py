"""How TensorFlow runs in the tests: on one thread, with no other device, each operator as it is written.

It is imported before anything runs, as TensorFlow takes no settings afterwards.
"""

from __future__ import annotations

import tensorflow as tf

tf.config.set_visible_devices([], "GPU")
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
