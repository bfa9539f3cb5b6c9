"""Moving bytes: what numba's own loops do byte by byte, one machine instruction does."""

from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def _copy_bytes(typingctx: Any, target: Any, first: Any, source: Any, start: Any, width: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, to_index, source, from_index, count = arguments
        to_data = context.make_array(signature.args[0])(context, builder, to).data
        from_data = context.make_array(signature.args[2])(context, builder, source).data
        to_place, from_place = builder.gep(to_data, [to_index]), builder.gep(from_data, [from_index])
        cgutils.raw_memcpy(builder, to_place, from_place, count, 1)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp, types.intp), generate


def _copy_bytes_plain(target: Any, first: int, source: Any, start: int, width: int) -> None:
    target[first : first + width] = source[start : start + width]


copy_bytes = _copy_bytes_plain if numba.config.DISABLE_JIT else _copy_bytes
"""`copy_bytes(target, first, source, start, width)`: `target[first:first + width] = source[start:start + width]`.

Both are contiguous arrays of bytes, and nobody checks the bounds. With a constant width it takes a few instructions."""
