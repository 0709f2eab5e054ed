import { expect, test } from 'vitest';
import { profileSchema } from '../../schemas/coa/profile.ts';
import { builtinProfileNames, builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { runCli } from './support/runCli.ts';

const cwd = sharedFolder();
const grammar = (...args: string[]) => runCli(['show', 'profile', ...args], { cwd });

test('without a name it lists the profiles; with one it prints text or table', async () => {
  const list = (await grammar()).stdout;
  for (const name of builtinProfileNames) expect(list).toMatch(new RegExp(`^${name} `, 'm'));
  expect((await grammar('web')).stdout).toMatch(/^web: Web research with double check\n/);
  const table = JSON.parse((await grammar('afm', '--json')).stdout);
  expect(profileSchema.parse(table)).toEqual(builtinProfiles.afm);
});
