/** While this process is blocked, at most one of the slices passes, since the answer may have arrived and not been read. */
const slices = 5;

/** Fails if the answer takes longer. The work itself continues. */
export function answerInTime<Answer>(milliseconds: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let passed = 0;
    let timer = setTimeout(next, milliseconds / slices);
    function next(): void {
      passed += 1;
      if (passed < slices) timer = setTimeout(next, milliseconds / slices);
      else reject(new Error(`There was no answer within ${milliseconds} ms.`));
    }
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
