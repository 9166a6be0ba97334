/** The group of the fields that decide whether a person is asked, in the form of every tool type. */
export const askFirst = 'Ask first';
