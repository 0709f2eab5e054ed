import { printable } from '../../base/printable.ts';
import type { FinishedRollout, PlayedRollout } from './playedRollout.ts';

/**
 * A rollout for people: each stretch of tokens on a line of its own that says whether it is trained, its tokens with
 * bars between them.
 */
export function playedLines(rollout: PlayedRollout): string[] {
  if (rollout.failure !== undefined)
    return [`${rollout.task_id}: no result, left out of training: ${printable(rollout.failure)}`, ''];
  const { tokens } = rollout;
  const trained = tokens.filter(([, mask]) => mask === 1).length;
  return [
    `${rollout.task_id}: ${tokens.length} tokens behind a prompt of ${rollout.prompt_tokens}, ${trained} trained · ${rollout.calls} calls · ended by ${rollout.end} · score ${rollout.score} (${partsText(rollout)})`,
    ...stretches(tokens).map(
      ({ mask, texts }) =>
        `  ${mask === 1 ? 'trained' : 'masked '} ${String(texts.length).padStart(5)}  |${texts.map(shown).join('|')}|`,
    ),
    '',
  ];
}

function partsText({ parts }: FinishedRollout): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${value === null ? 'not known' : Number(value.toFixed(3))}`)
    .join(', ');
}

/** Neighbouring tokens with the same mask. */
function stretches(tokens: FinishedRollout['tokens']): { mask: 0 | 1; texts: string[] }[] {
  const found: { mask: 0 | 1; texts: string[] }[] = [];
  for (const [text, mask] of tokens) {
    const last = found.at(-1);
    if (last?.mask === mask) last.texts.push(text);
    else found.push({ mask, texts: [text] });
  }
  return found;
}

function shown(text: string): string {
  return printable(text.replaceAll('\n', '⏎').replaceAll('\t', '⇥'));
}
