import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { promptPieces } from './promptCompletion.ts';
import { firstText, type RowCodec, rowOfPieces } from './rowCodec.ts';

const columns = ['question', 'Question', 'problem', 'query', 'prompt', 'task'] as const;

/** Rows that only ask: tasks, benchmarks, and prompts for RL such as verl's. */
export const questionCodec: RowCodec = {
  name: 'question',
  columns: columns.join(', '),
  recognises: (raw) => Array.isArray(raw.prompt) || firstText(raw, columns) !== null,
  read(raw) {
    const turns = Array.isArray(raw.prompt) ? promptPieces(raw.prompt) : [];
    if ('problem' in turns) return turns;
    const row = rowOfPieces(raw, 'question', 'nothing', turns);
    const gold = row.gold.length > 0 ? row.gold : groundTruth(raw.reward_model);
    return {
      ...row,
      text: null,
      answer: null,
      question: turns.length > 0 ? row.question : firstText(raw, columns),
      gold,
    };
  },
};

/** verl's `reward_model.ground_truth`: the answer, or the JSON text of an object with it as AFM's rows have it. */
function groundTruth(rewardModel: JsonValue | undefined): string[] {
  const truth = isJsonObject(rewardModel) ? rewardModel.ground_truth : undefined;
  if (typeof truth !== 'string') return [];
  const parsed = safeParseJson(truth);
  const { target } = (parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}) as JsonObject;
  return target === undefined ? [truth] : [target].flat(2).filter((text) => typeof text === 'string');
}
