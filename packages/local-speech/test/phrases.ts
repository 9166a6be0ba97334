/** 200 sentences with numbers, addresses and abbreviations, as bots say them: each ends with something that a caller must hear. */
export const phrases: readonly string[] = [
  ...from(['4711', '90210', '12', '7', '1,250', '3.14', '0800 555 1234', '42', '2026', '100'], (number) => [
    `Your code is: ${number}`,
    `The number of your order is ${number}.`,
    `Please note ${number}`,
    `That makes ${number}!`,
  ]),
  ...from(
    ['$5', '$19.99', '20%', '3 kg', '15 km', '9 a.m.', '5:30 p.m.', '12:45', '1st', '22nd'],
    (amount) => [
      `It costs or takes ${amount}`,
      `The answer is ${amount}.`,
      `I have written down ${amount}, is that right?`,
    ],
  ),
  ...from(
    [
      '12 Main St.',
      '5 Oak Ave.',
      '221B Baker Street',
      '1600 Pennsylvania Avenue',
      '10 Hill Rd.',
      'Suite 400',
    ],
    (address) => [
      `We are at ${address}`,
      `The parcel goes to ${address}.`,
      `Your address is ${address}, London`,
      `Turn left at ${address}; then stop.`,
    ],
  ),
  ...from(
    ['Dr. Smith', 'Mrs. Jones', 'Acme Inc.', 'Acme Ltd', 'the U.S.', 'NASA', 'etc.', 'Prof. Brown'],
    (name) => [
      `Please ask for ${name}`,
      `You will be called by ${name}.`,
      `Thank you for calling ${name}!`,
      `Is it ${name}?`,
    ],
  ),
  ...from(
    ['info@example.com', 'example.com', 'W1A 1AA', 'B-52', 'A4', 'Room 7b', 'gate C3', 'flight LH 400'],
    (place) => [`You find it at ${place}`, `That is ${place}.`, `Once more, ${place}`],
  ),
  ...from(['Monday', 'tomorrow', 'yes', 'no', 'goodbye', 'welcome', 'six', 'thanks'], (word) => [
    `The last word is ${word}`,
    `I said ${word}.`,
    `So that is ${word}`,
    `Then, ${word}!`,
    `And again, finally, ${word}`,
  ]),
  ...from(['May 3rd', 'June 21', 'July 4, 2026', 'the 9th', '31/12'], (date) => [
    `We meet on ${date}`,
    `It ends on ${date}.`,
  ]),
];

function from(values: readonly string[], sentences: (value: string) => string[]): string[] {
  return values.flatMap(sentences);
}
