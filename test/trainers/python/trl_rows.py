"""Rows as `trl sft` loads, prepares and collates them, without a step: trl_rows.py ROWS.jsonl ARGUMENTS..."""

import json
import sys

from record_batches import rows_of
from trl import SFTTrainer
from trl.scripts.sft import main, make_parser

if __name__ == "__main__":
    rows_path, *args = sys.argv[1:]

    def write_rows(self, *_, **__):
        with open(rows_path, "w", encoding="utf-8") as file:
            for batch in self.get_train_dataloader():
                for row in rows_of(batch):
                    file.write(json.dumps(row) + "\n")

    SFTTrainer.train = write_rows
    SFTTrainer.save_model = lambda *_, **__: None
    main(*make_parser().parse_args_and_config(args, fail_with_unknown_args=False))
