import type { PlantedFlaw } from '../../../../schemas/teacherScript.ts';

/** Which tasks have a flawed solution, by place in the profile's task file, from 0. */
export type FlawPlan = Readonly<Record<number, PlantedFlaw>>;

export const webFlaws: FlawPlan = {
  1: 'wrong_answer',
  4: 'redundant_query',
  8: 'too_few_interactions',
  10: 'malformed_json',
  13: 'malformed_json_once',
  15: 'refusal',
  18: 'tag_in_text',
  21: 'missing_reflection',
  24: 'corrected_double_check',
  28: 'corrected_double_check',
};

export const mhqaFlaws: FlawPlan = {
  2: 'wrong_answer',
  5: 'redundant_query',
  9: 'too_few_interactions',
  12: 'malformed_json',
  15: 'malformed_json_once',
  17: 'refusal',
  20: 'tag_in_text',
  23: 'missing_reflection',
};

export const mathFlaws: FlawPlan = {
  3: 'wrong_answer',
  6: 'redundant_query',
  7: 'too_few_interactions',
  12: 'tag_in_text',
  15: 'malformed_json_once',
};

export const codeFlaws: FlawPlan = {
  1: 'refusal',
  3: 'wrong_answer',
  6: 'malformed_json',
  8: 'redundant_query',
  9: 'hanging_code',
  11: 'too_few_interactions',
};
