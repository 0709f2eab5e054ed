import { testGolds } from '../stages/support/testGolds.ts';
import { testMutations } from '../stages/support/testMutations.ts';
import { releasedPath } from '../support/releasedData.ts';

testGolds(releasedPath('math500.parquet'), 500);
testGolds(releasedPath('aime24.parquet'), 30);
testMutations(releasedPath('math500.parquet'));
