import { testTextGolds } from '../stages/support/testTextGolds.ts';
import { releasedPath } from '../support/releasedData.ts';

testTextGolds(releasedPath('nq_500.jsonl'));
