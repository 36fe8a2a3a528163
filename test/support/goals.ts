import fc from 'fast-check';

const words =
  'add fix migration redesign the login page and then tests docs/api.md src/ui/ refactor split into src/app.ts lib/utils.py src/*.go react sql schema, review "say \'hi\'" `a: b` # - : ; . ! {x} [y] & * | > % @ true null 1.0 ~ émoji 🙂 日本語 \u202e \\ \n \n- \t --- ...'.split(
    ' ',
  );

/** Whatever a person or a program may give as a goal: words with traps of YAML and markdown among them, or anything at all. */
export const anyGoal: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 25 }).map((parts) => parts.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }) },
);
