"""Serves a model of 135 million parameters with llama.cpp's own HTTP server: serve.py MODEL PORT."""

import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {"smollm2:135m"}
params.port = int(sys.argv[2])
params.n_ctx = 8192
params.n_parallel = 1
# Two threads wait for each other after every token: on a machine with other work 3 tokens a second instead of 15.
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
signal.pause()
