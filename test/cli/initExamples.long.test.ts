import { test } from 'vitest';
import { exampleRuns } from './support/exampleRuns.ts';

test.each(['web', 'math'])('the example %s runs as it stands, wherever its folder is', exampleRuns);
