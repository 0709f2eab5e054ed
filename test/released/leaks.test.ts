import { testLeaks } from '../stages/support/testLeaks.ts';
import { releasedFiles } from '../support/releasedData.ts';

testLeaks(releasedFiles);
