import { expect, test } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { createRolloutStage } from '../../stages/createRolloutStage.ts';
import { mergedAsk } from '../../teachers/multiAgent/mergedAsk.ts';
import { actionAsk, orchestratorAsk, toolAsk } from '../../teachers/multiAgent/roleAsks.ts';
import { actionsOfRole, isTool } from '../../teachers/multiAgent/teamState.ts';
import { toolTurn } from '../../teachers/multiAgent/turnsOfTrace.ts';
import { allTools } from './support/team.ts';

const inputOf: Record<string, JsonObject> = {
  web_search: { query: 'Why' },
  wiki_search: { query: 'Why' },
  code: { code: 'print(1)' },
};
const roles = ['planner', 'tool_agent', 'reflector', 'answerer', 'verifier'] as const;

// A run that was made with other prompts is stale only if the stage's version says so. When this fails because a
// prompt was changed, raise the version of the rollout and write down the new id.
test('the version of the rollout is that of its prompts', () => {
  const prompts = Object.values(builtinProfiles).flatMap((profile) =>
    (['shared', 'per_role'] as const).flatMap((layout) => {
      const state = { profile, question: 'Why?', turns: [], stepsLeft: 9, layout };
      const toolOf = (tag: string) => allTools.get(tag)!;
      const allowed = roles.flatMap((role) => actionsOfRole(profile, role));
      const tag = allowed.find((action) => isTool(profile, action))!;
      const seen = toolTurn(profile, tag, null, { input: inputOf[tag]!, observation: 'It says so.' });
      const asks = [
        orchestratorAsk(state, allowed, false),
        mergedAsk(state, { allowed, mustFinish: true, isOwn: () => true, toolOf }),
        mergedAsk({ ...state, turns: [seen] }, { allowed, mustFinish: false, isOwn: () => true, toolOf }),
        ...allowed.map((action) =>
          isTool(profile, action) ? toolAsk(state, toolOf(action), 'Because.') : actionAsk(state, action),
        ),
      ];
      return asks.map((ask) => ask.prepare('structured') as object);
    }),
  );
  const teacher = { name: 'none', solve: () => Promise.reject(new Error('not asked')) };
  const { version } = createRolloutStage({ teacher, concurrency: 1 });
  expect({ version, prompts: sha256Hex(JSON.stringify(prompts)).slice(0, 24) }).toMatchInlineSnapshot(`
    {
      "prompts": "be13021f82809454f28235d6",
      "version": 4,
    }
  `);
});
