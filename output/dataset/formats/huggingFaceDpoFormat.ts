import { trlReader } from '../../readers/trlReader.ts';
import {
  type DatasetFormat,
  type DatasetPair,
  type FormatSettings,
  maskedCapabilities,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { namesOf, textColumn } from '../files/columns.ts';
import { formatReadme, shellBlock } from '../formatReadme.ts';
import { parquetPart } from './formatParts.ts';
import { trlConfig } from './huggingFaceFormat.ts';
import { DPO_BETA, DPO_LEARNING_RATE } from './llamaFactoryConfig.ts';
import { type LabelledPair, labelledPair, pairColumns, pairTexts } from './pairs.ts';

interface WordedPair extends LabelledPair {
  readonly texts: ReturnType<typeof pairTexts>;
}

/** The columns of both sides behind their texts, in the layout of TRL's preference data. */
const columns = pairColumns<WordedPair>(
  (['prompt', 'chosen', 'rejected'] as const).map((name) => textColumn(name, ({ texts }) => texts[name])),
  [],
);

/**
 * `hugging_face_dpo/`: pairs in parquet in TRL's layout, with the ids and labels of both sides, and the program that
 * hands these to TRL's trainer: TRL alone trains whole answers.
 */
export const huggingFaceDpoFormat: DatasetFormat<'pair'> = {
  name: 'hugging_face_dpo',
  records: 'pair',
  columns: namesOf(columns),
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER + "/hugging_face_dpo/data")`',
    trainer: "TRL's DPO: pairs of a chosen and a rejected trajectory",
    mask: '`chosen_labels` and `rejected_labels`, by `train_dpo.py`',
  },
  capabilities: maskedCapabilities,
  layoutOf: (settings) => ({
    parts: [parquetPart(wordedPair, columns, 'hugging_face_dpo/data/')],
    companions: (written) => [
      { path: 'hugging_face_dpo/train_dpo.py', text: trainingProgram },
      { path: 'hugging_face_dpo/dpo.yaml', text: dpoConfig(settings, written) },
      formatReadme('hugging_face_dpo', readme, settings, written),
    ],
  }),
};

function wordedPair(pair: DatasetPair): WordedPair {
  return { ...labelledPair(pair), texts: pairTexts(pair) };
}

/** A complete configuration for the program beside it. */
function dpoConfig({ training }: FormatSettings, { hasValidation }: WrittenFormat): string {
  return trlConfig({
    training,
    hasValidation,
    command: 'python train_dpo.py --config dpo.yaml',
    own: { beta: DPO_BETA, max_length: null },
    learningRate: DPO_LEARNING_RATE,
    comments: {
      max_length: 'No side is longer than its model takes; the default of TRL would cut rows at 1024 tokens.',
    },
  });
}

const readme = {
  title: 'Pairs in parquet, for the DPO of TRL',
  rows: { '': '`prompt`, `chosen`, `rejected`, and ids and labels of both sides' },
  files: {
    'train_dpo.py': "starts TRL's trainer with a collator that reads the labels",
    'dpo.yaml': 'a ready configuration; set the model, which should be fine-tuned already',
  },
  mask: '`train_dpo.py`, by `chosen_labels` and `rejected_labels`. TRL alone (`trl dpo`) tokenises the texts and has all of both in the loss, **observations included**.',
  verified: `TRL ${trlReader.version}, unpatched: the batches that reach its loss have our ids and masks on both sides, and the first step logs the log-probabilities of an independent forward pass (\`test/trainers/preference.test.ts\`).`,
  start: shellBlock('python train_dpo.py --config dpo.yaml --model_name_or_path MODEL'),
  beware: [
    'Fine-tune the model on the other formats first.',
    'Another version of TRL may read other batches: the program stops at one that does.',
    'TRL tokenises the texts too when it starts; nothing of that reaches the model.',
    "TRL alone appends the tokenizer's end-of-sequence token to texts that end otherwise.",
  ],
};

/**
 * `hugging_face_dpo/train_dpo.py`: TRL's own `trl dpo`, with a collator that takes ids and masks from the rows. TRL
 * still reads `prompt`, `chosen` and `rejected`; what it makes of them reaches no model.
 */
const trainingProgram = `"""Trains with TRL's DPOTrainer on data/, observations masked on both sides.

    python train_dpo.py --config dpo.yaml --model_name_or_path MODEL
"""

import functools

import torch
import trl
from torch.nn.utils.rnn import pad_sequence
from trl.scripts import dpo
from trl.trainer.dpo_trainer import DataCollatorForPreference

IGNORED = -100


def collate(examples):
    """Both sides of each pair as TRL's own collator stacks them: all chosen ones, then all rejected ones."""
    sides = [(row[f"{side}_input_ids"], row[f"{side}_labels"]) for side in ("chosen", "rejected") for row in examples]
    ids = [torch.tensor(row, dtype=torch.long) for row, _ in sides]
    masks = [torch.tensor([int(label != IGNORED) for label in labels]) for _, labels in sides]
    stack = functools.partial(pad_sequence, batch_first=True, padding_value=0)
    batch = {
        "input_ids": stack(ids),
        "attention_mask": stack([torch.ones_like(row) for row in ids]),
        "completion_mask": stack(masks),
    }
    for key in ("ref_chosen_logps", "ref_rejected_logps"):
        if key in examples[0]:
            batch[key] = torch.tensor([row[key] for row in examples])
    return batch


def check_batches():
    """Stops where another version of TRL reads other batches, for it would train something else."""
    row = {"prompt_ids": [1], "chosen_ids": [2], "rejected_ids": [3]}
    try:
        keys = set(DataCollatorForPreference(pad_token_id=0)([row]))
    except KeyError:
        keys = set()
    if keys != {"input_ids", "attention_mask", "completion_mask"}:
        raise SystemExit(f"train_dpo.py: TRL {trl.__version__} reads other batches; it was tested with ${trlReader.version}")


class MaskedTrainer(trl.DPOTrainer):
    """TRL's trainer with our collator, and with the columns that it reads."""

    def __init__(self, *args, **kwargs):
        settings = kwargs["args"]
        if settings.max_length is not None:
            raise SystemExit("train_dpo.py: max_length must be null: what TRL cuts off, the rows keep")
        settings.remove_unused_columns = False
        super().__init__(*args, data_collator=collate, **kwargs)


if __name__ == "__main__":
    check_batches()
    trl.DPOTrainer = MaskedTrainer
    dpo.main(*dpo.make_parser().parse_args_and_config(fail_with_unknown_args=False))
`;
