"""The picture: an empty figure, its pixels as a PNG, and how it stands in a page with its words."""

from __future__ import annotations

import base64
import html
import io
import struct
import zlib

import numpy as np
from isal import isal_zlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

WIDTH = 760  # CSS pixels
SHARPNESS = 1.5  # device pixels to a CSS pixel


def blank(height: int) -> tuple[Figure, FigureCanvasAgg]:
    """A figure with nothing on it, as wide as every other, and its canvas."""
    figure = Figure(figsize=(WIDTH / 100, height / 100), dpi=100 * SHARPNESS, layout="constrained")
    return figure, FigureCanvasAgg(figure)


def png(pixels: np.ndarray) -> bytes:
    """Agg's buffer as a PNG as it lies in memory, packed by isal: zlib takes five times as long, Pillow fifteen."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each row starts with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    out = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    out.seek(0, io.SEEK_END)
    out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)))
    out.write(chunk(b"IDAT", isal_zlib.compress(rows.data, 1)))
    out.write(chunk(b"IEND", b""))
    return out.getvalue()


def caption(says: str) -> str:
    return (
        f"<div role='status' aria-live='polite' style='max-width:{WIDTH}px;line-height:1.45;"
        f"color:var(--jp-content-font-color2,#555)'>{html.escape(says)}</div>"
    )


def still(image: bytes, says: str, live: str) -> str:
    """The picture without a kernel. Where the live one stands on the same page, this one hides."""
    hide = f"<style>body:has(.{live} img) .{live}-still{{display:none}}</style>" if live else ""
    data = base64.b64encode(image).decode()
    text = html.escape(says, quote=True)
    return (
        f"{hide}<figure class='{live}-still' style='margin:0'>"
        f"<img src='data:image/png;base64,{data}' width='{WIDTH}' alt='{text}'>"
        f"{f'<figcaption>{caption(says)}</figcaption>' if live else ''}</figure>"
    )
