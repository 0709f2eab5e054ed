import { testDataPath } from '../support/testData.ts';
import { testMutations } from './support/testMutations.ts';

testMutations(testDataPath('tasks/math500.parquet'));
