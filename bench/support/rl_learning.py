"""Trains a tiny student by TRL with our rollouts: TASKS STEPS SEED... -> a reward a step, a line of JSON for each training.

The student first learns two ways by heart, each half of the time: to call the tool and answer right, and to answer wrong
at once. Sampling then does either, and the reward can teach it to call the tool. With rewards dealt out at random among the
rollouts of a step there is nothing to learn.
"""

import json
import random
import sys
from copy import deepcopy

import torch
import trl_grpo
from coa_loop import Environment
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer

tasks, steps, seeds = sys.argv[1], int(sys.argv[2]), [int(seed) for seed in sys.argv[3:]]
torch.set_num_threads(1)
CALL = "<wiki_search>island</wiki_search>\n"
PAGE = "<observation>\nThe capital is Tarn. <\\/observation><\\answer>42<\\/answer>\n</observation>\n\n"
WAYS = (((CALL, 1), (PAGE, 0), ("<answer>Tarn</answer>", 1)), (("<answer>Borg</answer>", 1),))
TEMPLATE = (
    "{% for turn in messages %}<|im_start|>{{ turn.role }}\n{{ turn.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def teach(prompts):
    """A student that knows both ways and takes each about half of the time, and its tokenizer."""
    set_seed(0)
    tokenizer = small_tokenizer([turn["content"] for prompt in prompts for turn in prompt])
    model = small_model(tokenizer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.0)
    rows = [row_of(tokenizer, prompt, way) for prompt in prompts for way in WAYS]
    for epoch in range(300):  # noqa: B007 (printed after the loop)
        # What is known by heart costs ln 2 for each row: one choice of two.
        losses = [model(torch.tensor([ids]), labels=torch.tensor([labels])).loss * trained_in(labels) for ids, labels in rows]
        sum(losses).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if max(losses) < 0.8:
            break
    print(f"taught in {epoch + 1} epochs, loss of a row at most {max(losses).item():.2f}", flush=True)
    return model, tokenizer


def small_tokenizer(prompts):
    """Some hundred tokens instead of Qwen's 151,936: most of a tiny model's work is its vocabulary."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([*prompts, *(text for way in WAYS for text, _ in way)], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=TEMPLATE
    )


def small_model(tokenizer):
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024}
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
        **sizes,
        **heads,
    )
    return Qwen2ForCausalLM(config)


def row_of(tokenizer, prompt, way):
    ids = trl_grpo.prompt_ids_of(tokenizer, prompt)
    labels = [-100] * len(ids)
    for text, trained in way:
        new = tokenizer.encode(text, add_special_tokens=False)
        ids, labels = ids + new, labels + (new if trained else [-100] * len(new))
    return ids, labels


def trained_in(labels):
    return sum(label >= 0 for label in labels)


def train(model, tokenizer, seed, shuffled):
    """The mean reward of each step."""
    seen = []

    def reward(coa_score, **columns):
        scores = trl_grpo.coa_reward(coa_score=coa_score, **columns)
        seen.append(sum(scores) / len(scores))
        return random.sample(scores, len(scores)) if shuffled else scores

    set_seed(seed)
    settings = GRPOConfig(
        output_dir="out",
        use_cpu=True,
        bf16=False,
        num_generations=8,
        per_device_train_batch_size=32,
        max_steps=steps,
        learning_rate=1e-4,
        lr_scheduler_type="constant",
        max_completion_length=256,
        report_to=[],
        save_strategy="no",
        beta=0.0,
        gradient_checkpointing=False,
        seed=seed,
        disable_tqdm=True,
    )
    GRPOTrainer(
        model=deepcopy(model),
        reward_funcs=reward,
        args=settings,
        train_dataset=dataset,
        processing_class=tokenizer,
        rollout_func=trl_grpo.CoaRollouts(Environment(), trl_grpo.Limits(max_failed_share=1)),
    ).train()
    return seen


dataset = trl_grpo.load_tasks([tasks])
taught = teach([row["prompt"] for row in dataset])
for seed in seeds:
    for way in ("learn", "shuffled"):
        rewards = train(*taught, seed, way == "shuffled")
        print(json.dumps({"seed": seed, "way": way, "rewards": rewards}), flush=True)
