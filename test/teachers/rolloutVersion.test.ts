import { expect, test } from 'vitest';
import { canonicalJson, sha256Hex } from '../../base/ids.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { createRolloutStage } from '../../stages/createRolloutStage.ts';
import {
  answererPrompt,
  plannerPrompt,
  reflectorPrompt,
  verifierPrompt,
} from '../../teachers/multiAgent/agentPrompts.ts';

// A run that was made with other prompts is stale only if the stage's version says so. When this fails because a
// prompt was changed, raise the version of the rollout and write down the new id.
test('the version of the rollout is that of its prompts', () => {
  const prompts = Object.values(builtinProfiles).map((profile) => {
    const state = { profile, question: 'Why?', turns: [], stepsLeft: 9 };
    return [
      plannerPrompt(state, true),
      answererPrompt(state, 'answer', true),
      reflectorPrompt(state, true, false),
      verifierPrompt(state, true),
    ];
  });
  const teacher = { name: 'none', solve: () => Promise.reject(new Error('not asked')) };
  const { version } = createRolloutStage({ teacher, concurrency: 1 });
  expect({ version, prompts: sha256Hex(canonicalJson(prompts)).slice(0, 24) }).toMatchInlineSnapshot(`
    {
      "prompts": "27b3fdca02395752bce7b25e",
      "version": 2,
    }
  `);
});
