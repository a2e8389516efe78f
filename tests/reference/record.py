"""Record PyTorch's own samples of operators, their outputs and gradients: `python -m tests.reference.record`.

It needs torch, of which 2.13 made the file. No number is ours: the arguments are those with which PyTorch tests itself.
"""

import json

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.testing._internal.common_methods_invocations import op_db

from tests.reference.opinfo import OPERATORS, RECORDED

NAMES = {"scaled_dot_product_attention": "attention"}


def plain(value):
    return None if isinstance(value, torch.Tensor) else value


def record() -> None:
    torch.manual_seed(0)
    cases, arrays = [], {}
    for info in op_db:
        operator = NAMES.get(info.name.rpartition(".")[2], info.name.rpartition(".")[2])
        if operator not in OPERATORS or info.variant_test_name or info.name.startswith("masked"):
            continue
        for dtype in (torch.float32, torch.float64):
            for sample in info.sample_inputs("cpu", dtype, requires_grad=True):
                args = [sample.input, *sample.args]
                given = {**{str(i): x for i, x in enumerate(args)}, **sample.kwargs}
                tensors = {key: x for key, x in given.items() if isinstance(x, torch.Tensor)}
                found = {key: x.detach() for key, x in tensors.items()}
                if not sample.kwargs.get("dropout_p"):  # which would be random
                    with sdpa_kernel(SDPBackend.MATH):
                        out = info.op(*args, **sample.kwargs)
                    dout = torch.randn_like(out)
                    out.backward(dout)
                    found |= {"out": out.detach(), "dout": dout}
                    found |= {f"{key}.grad": x.grad for key, x in tensors.items() if x.grad is not None}
                arrays |= {f"{len(cases)}.{key}": x.numpy() for key, x in found.items()}
                kwargs = {key: plain(x) for key, x in sample.kwargs.items()}
                name = str(dtype).removeprefix("torch.")
                cases.append({"operator": operator, "dtype": name, "args": [*map(plain, args)], "kwargs": kwargs})
    np.savez_compressed(RECORDED, allow_pickle=False, cases=np.array(json.dumps(cases)), **arrays)


if __name__ == "__main__":
    record()
