"""How u2netp.tflite was made: python u2netp.py <u2netp.onnx> <folder of photographs> (README.md names the versions of what it needs)."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import onnxsim
import tensorflow as tf
from onnx import TensorProto, helper, numpy_helper
from onnx.utils import extract_model
from PIL import Image

SIDE = 320
INPUT = "input.1"
# The second of the model's six masks, before it is made a share: 160 by 160.
HALF = "1857"
MEAN = np.array([0.485, 0.456, 0.406])
DEVIATION = np.array([0.229, 0.224, 0.225])

model, folder = sys.argv[1], Path(sys.argv[2])
photographs = []
for file in sorted(folder.glob("*.jpg")):
    pixels = np.asarray(Image.open(file).convert("RGB").resize((SIDE, SIDE), Image.BILINEAR), np.float32)
    photographs.append(((pixels / pixels.max() - MEAN) / DEVIATION)[None].astype(np.float32))

# Only what the mask is made of, for pictures of one size.
whole = onnx.load(model)
whole.graph.output.append(helper.make_tensor_value_info(HALF, TensorProto.FLOAT, [1, 1, None, None]))
onnx.save(onnxsim.simplify(whole, overwrite_input_shapes={INPUT: [1, 3, SIDE, SIDE]})[0], "whole.onnx")
extract_model("whole.onnx", "half.onnx", [INPUT], [HALF], check_model=False)
half = onnx.load("half.onnx")
half.graph.node.append(helper.make_node("Sigmoid", [HALF], ["mask"]))
del half.graph.output[:]
half.graph.output.append(helper.make_tensor_value_info("mask", TensorProto.FLOAT, [1, 1, SIDE // 2, SIDE // 2]))

# The mean of all that goes into each layer.
layers = [node for node in half.graph.node if node.op_type == "Conv"]
sources = sorted({layer.input[0] for layer in layers})
probe = onnx.ModelProto()
probe.CopyFrom(half)
for source in sources:
    probe.graph.node.append(helper.make_node("ReduceMean", [source], [f"mean {source}"], axes=[2, 3], keepdims=0))
    probe.graph.output.append(helper.make_tensor_value_info(f"mean {source}", TensorProto.FLOAT, None))
session = onnxruntime.InferenceSession(probe.SerializeToString())
means = dict.fromkeys(sources, 0.0)
for photograph in photographs[::4]:
    found = session.run([f"mean {source}" for source in sources], {INPUT: photograph.transpose(0, 3, 1, 2)})
    for source, value in zip(sources, found):
        means[source] = means[source] + value[0] / len(photographs[::4])

# What weights of 8 bits will make of that mean, too much or too little, is taken out of each layer's bias.
numbers = {number.name: number for number in half.graph.initializer}
for layer in layers:
    weights, bias = (numpy_helper.to_array(numbers[name]) for name in layer.input[1:])
    step = np.abs(weights).max((1, 2, 3), keepdims=True) / 127
    lost = np.round(weights / step) * step - weights
    moved = bias - (lost.sum((2, 3)) * means[layer.input[0]]).sum(1)
    numbers[layer.input[2]].CopyFrom(numpy_helper.from_array(moved.astype(np.float32), layer.input[2]))
onnx.save(half, "half.onnx")

subprocess.run(["onnx2tf", "-i", "half.onnx", "-o", "half"], check=True)
converter = tf.lite.TFLiteConverter.from_saved_model("half")
converter.optimizations = [tf.lite.Optimize.DEFAULT]
converter.representative_dataset = lambda: ([photograph] for photograph in photographs[:24])
converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8, tf.lite.OpsSet.TFLITE_BUILTINS]
Path("u2netp.tflite").write_bytes(converter.convert())
