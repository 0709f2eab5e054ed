import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryRows } from '../../viewer/index/queryRows.ts';
import { RowColumns } from '../../viewer/index/rowColumns.ts';

/** A few values that meet often, and any others that a column can hold. */
const figure = fc.option(
  fc.oneof(
    fc.constantFrom(0, -0, 1, -1, 0.5, 70_000),
    fc.float({ noNaN: true }),
    fc.integer().map(Math.fround),
  ),
);

test('rows are sorted by a figure: equal ones keep their order, those without it come last', () => {
  fc.assert(
    fc.property(fc.array(figure, { maxLength: 60 }), fc.boolean(), (figures, isDescending) => {
      const columns = new RowColumns();
      for (const value of figures)
        columns.update(columns.add(undefined), value === null ? {} : { figures: { tokens: value } });
      const { rows } = queryRows(
        columns,
        { facets: {}, ranges: {}, search: '', sort: { by: 'tokens', isDescending } },
        undefined,
      );
      const sign = isDescending ? -1 : 1;
      const expected = [...figures.keys()].sort((a, b) => {
        const [one, other] = [figures[a]!, figures[b]!];
        if (one === null || other === null) return Number(one === null) - Number(other === null);
        return one === other ? 0 : sign * (one < other ? -1 : 1);
      });
      expect([...rows]).toEqual(expected);
    }),
    { examples: [[[0, -0], false]] },
  );
});
