import { describe, expect, test } from 'vitest';
import { holdsValue } from '../../schemas/answers/holdsValue.ts';
import { readText } from '../../schemas/answers/readText.ts';

const holds = (value: string, text: string) => holdsValue(readText(text), value);

describe('a text holds a value', () => {
  test.each([
    ['Kestrel Bridge', 'It is the KESTREL bridge, of course.'],
    ['The Kestrel Bridge', 'Kestrel Bridge'],
    ['Lord of the Rings', 'The Lord of the Rings was long.'],
    ['vitamin A', 'Carrots hold vitamin A.'],
    ['Beyonce', 'a song of Beyoncé'],
    ['Beyoncé', 'a song of BEYONCE'],
    ['U.S.', 'in the US today'],
    ["O'Brien", 'Mrs OBrien'],
    ['C++', 'written in C++.'],
    ['東京', '首都は東京です'],
    ['1956', 'born in 1956.'],
    ['1956', '(1956–1990)'],
    ['1956', 'on 1956-03-12'],
    ['1956', 'am 12.3.1956 geboren'],
    ['1,956', 'all 1956 of them'],
    ['12', 'twelve bridges'],
    ['twelve', 'it has 12 arches'],
    ['twenty-one', 'it has 21 arches'],
    ['1200000', 'about 1.2 million people'],
    ['12 March 1956', 'on 1956-03-12, at noon'],
    ['12 March 1956', 'born March 12, 1956 in Vell'],
    ['1956-03-12', 'on the 12th of March 1956'],
    ['March 1956', 'on 12 March 1956'],
    ['44 BC', 'killed in 44 BC.'],
    ['5 km', 'it is 5000 m long'],
    ['5 km', 'it is five kilometres long'],
    ['330 m', 'height (m): 330'],
    ['330 m', '330m'],
    ['330', 'it is 330m tall'],
    ['5 ft 6 in', 'he was 66 inches tall'],
    ['20%', '20 percent'],
    ['$5 million', 'for $5,000,000 in all'],
    ['-5', 'it was -5 at night'],
    ['1990-1991', 'in the season 1990–1991'],
    ['3rd', 'came in third'],
  ])('%s in %s', (value, text) => expect(holds(value, text)).toBe(true));
});

describe('a text does not hold a value', () => {
  test.each([
    ['Paris', 'comparison of Parisians'],
    ['Ann', 'Anna and Hannah'],
    ['vitamin A', 'Oranges hold vitamin C, a lot.'],
    ['C', 'written in C++'],
    ['John Smith', 'Smith, John'],
    ['1956', 'serial number 19563'],
    ['1956', 'it costs 1956.5'],
    ['956', 'all 1,956 of them'],
    ['1956', '1,956,000 people'],
    ['5', 'in 2.5 hours'],
    ['5', '5 million people'],
    ['20', 'twenty-one arches'],
    ['1', 'twenty-one arches'],
    ['12', 'page 12.5'],
    ['5 km', '5 miles'],
    ['5 km', '5 km/h'],
    ['5 km', '15 km'],
    ['330 m', '330 feet'],
    ['12 March 1956', 'in March 1956'],
    ['12 March 1956', '2 March 1956'],
    ['2 March 1956', '12 March 1956'],
    ['12 March 1956', '12 March 19563'],
    ['Windows 3', 'Windows 3.1'],
    ['5', 'it was -5 at night'],
    ['20%', '20 people'],
    ['44 BC', 'in AD 44'],
  ])('%s in %s', (value, text) => expect(holds(value, text)).toBe(false));
});
