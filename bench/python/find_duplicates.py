"""Finds near duplicates with rensa or datasketch as their documentation shows, for bench/dedup.bench.ts.

`python find_duplicates.py rensa|datasketch TEXTS.json THRESHOLD BANDS ROWS` with a JSON list of texts. Prints one line
of JSON: seconds of CPU, and the pairs of places that the package's own index of BANDS x ROWS numbers gives, each with
the estimate of its Jaccard similarity. Documents are sets of shingles of five words.
"""

import json
import os
import re
import sys
import time

for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

SHINGLE_WORDS = 5
word = re.compile(r"\w+")


def shingles(text):
    words = word.findall(text.lower())
    return {" ".join(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1)}


def rensa_pairs(texts, threshold, bands, rows):
    from rensa import RMinHash, RMinHashLSH

    sketches = []
    index = RMinHashLSH(threshold=threshold, num_perm=bands * rows, num_bands=bands)
    for place, text in enumerate(texts):
        sketch = RMinHash(num_perm=bands * rows, seed=42)
        sketch.update(list(shingles(text)))
        sketches.append(sketch)
        index.insert(place, sketch)
    return earlier_pairs(sketches, index)


def datasketch_pairs(texts, threshold, bands, rows):
    from datasketch import MinHash, MinHashLSH

    sketches = []
    index = MinHashLSH(threshold=threshold, num_perm=bands * rows, params=(bands, rows))
    for place, text in enumerate(texts):
        sketch = MinHash(num_perm=bands * rows)
        sketch.update_batch([shingle.encode() for shingle in shingles(text)])
        sketches.append(sketch)
        index.insert(place, sketch)
    return earlier_pairs(sketches, index)


def earlier_pairs(sketches, index):
    for place, sketch in enumerate(sketches):
        for other in index.query(sketch):
            if other < place:
                yield other, place, sketch.jaccard(sketches[other])


if __name__ == "__main__":
    package, file, threshold, bands, rows = sys.argv[1:]
    find = {"rensa": rensa_pairs, "datasketch": datasketch_pairs}[package]
    __import__(package)
    with open(file) as source:
        texts = json.load(source)
    start = time.process_time()
    pairs = list(find(texts, float(threshold), int(bands), int(rows)))
    print(json.dumps({"cpuSeconds": time.process_time() - start, "pairs": pairs}))
