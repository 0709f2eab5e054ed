import type { FailureSigns } from '../../../contract/trainer.ts';

/**
 * Python that loads tasks as verl and TRL do, and measures their prompts with the model's own tokenizer and template.
 *
 * @param modelKey the trainer's key that names the model
 */
export function rlLoadProgram(modelKey: string): string {
  return `
def load(request):
    import datasets

    names = [names for names in (request["train"], request["validation"]) if names]
    splits = [
        datasets.load_dataset("parquet", data_files=[path(name) for name in files], split="train") for files in names
    ]
    return {
        "rows": len(splits[0]),
        "validation_rows": len(splits[1]) if request["validation"] else 0,
        "longest": max(longest_prompt(split["prompt"], request["keys"][${JSON.stringify(modelKey)}]) for split in splits),
        "first_task": str(splits[0][0]["extra_info"]["index"]) if len(splits[0]) else None,
    }


def longest_prompt(prompts, model):
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
    except OSError:
        # Of a model that is elsewhere.
        return 0
    render = lambda turns: tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    return max((len(render(turns)) for turns in prompts), default=0)
`;
}

/** A trainer's signs of failure, with those of rollouts: they say what was wrong before anything else does. */
export function rlFailures(signs: FailureSigns): FailureSigns {
  return {
    ...signs,
    printed: [
      ['rollouts_failed', /rollouts (?:failed|got no verdict) \(limit|environment server can't be used/],
      ...signs.printed,
    ],
  };
}
