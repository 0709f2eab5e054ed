"""`transformers serve`, with each tokenizer's vocabulary listed once.

transformers 5.10 keeps what it prepares for stop texts by the order in which the vocabulary comes, which is another at each
request: without this it prepares them again for each, 0.4 seconds for 49,000 tokens.
"""

import functools

from transformers import PreTrainedTokenizerFast

PreTrainedTokenizerFast.get_vocab = functools.cache(PreTrainedTokenizerFast.get_vocab)

if __name__ == "__main__":
    from transformers.cli.transformers import main

    main()
