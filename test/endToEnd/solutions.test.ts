// Needs bubblewrap, python3, python3-numpy.
import { testDataPath } from '../support/testData.ts';
import { testSolutions } from './support/testSolutions.ts';

testSolutions({
  path: testDataPath('tasks/livecodebench_v4.parquet'),
  folder: testDataPath('solutions'),
  slips: {
    own101_a: ['left == right', 'left != right'],
    own101_b: ['> limit', '>= limit'],
    own101_f: ['tide[1])[0]', 'tide[1])[1]'],
    '9001': ['- k + 1)', '- k)'],
    '9002': ['len(call) - 1', 'len(call)'],
    '9003': ['+= fee', '= fee'],
  },
  ofEachKind: 3,
});
