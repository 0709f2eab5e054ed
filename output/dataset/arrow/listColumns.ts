import { type Data, type DataType, Field, List, makeData, Utf8 } from 'apache-arrow';

/** Arrow's list type with elements that are never null; `item` is the element's name in Arrow's own libraries. */
export function listOf<T extends DataType>(type: T): List<T> {
  return new List(Field.new({ name: 'item', type, nullable: false }));
}

/** A column of strings. */
export function stringColumn(strings: readonly string[]): Data<Utf8> {
  const bytes = strings.map((text) => Buffer.from(text));
  return makeData({
    type: new Utf8(),
    length: strings.length,
    nullCount: 0,
    valueOffsets: offsetsOf(bytes),
    data: Buffer.concat(bytes),
  });
}

/** A column of lists, from all their elements in one column and the lists themselves, which only give lengths. */
export function listColumn<T extends DataType>(
  type: List<T>,
  lists: readonly { readonly length: number }[],
  child: Data<T>,
): Data<List<T>> {
  return makeData({
    type,
    length: lists.length,
    nullCount: 0,
    valueOffsets: offsetsOf(lists),
    child,
  });
}

/** Where each list begins, and after the last where it ends. */
function offsetsOf(lists: readonly { readonly length: number }[]): Int32Array {
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => {
    offsets[index + 1] = offsets[index]! + list.length;
  });
  return offsets;
}
