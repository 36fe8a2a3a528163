import { z } from 'zod';
import { idPattern } from '../../domain/base/ids.ts';
import { taskKeys } from '../../domain/plan/plan-draft.ts';
import { writtenClosure } from '../../domain/settings/closure-settings.ts';
import {
  described,
  type Shape,
  type ShapeFields,
  type TextData,
  type ValueOf,
  words,
} from '../../domain/settings/shapes.ts';
import { configFields, planFields, userFields } from '../../domain/settings/written-settings.ts';

/**
 * The structure of plans and configuration: keys, types, ranges. It is published as JSON Schema, so it says only what JSON Schema can
 * say. Lint judges what takes more than one value: cycles, overlaps, files.
 */

/** A key that a version does not offer is published without its other values, and refused by name instead of as a misspelling. */
const notOffered = {
  dispatch: schemaOf(planFields.dispatch)
    .meta({ enum: ['isolated'] })
    .optional(),
  repair: schemaOf(planFields.repair)
    .meta({ anyOf: [{ type: 'null' }] })
    .optional(),
};
const settings = { ...optional(planFields), ...notOffered };
const id = z.string().regex(idPattern);
const name = schemaOf(words).optional();
const version = z.literal(1).optional();

const keys = optional(taskKeys);
const brief = z.string().describe('The brief itself, or a path that ends in .md.');
const task = z.strictObject({ do: brief, ...keys });
const listedTask = z.strictObject({ id, do: brief, ...keys });
const tasks = z.union([z.record(id, z.union([brief, task])), z.array(listedTask)]);
const closure = schemaOf(
  described(writtenClosure, 'Closure roles of this wave, instead of those of the plan.'),
).optional();
const wave = z.strictObject({ name, tasks, closure });

export const planSchema = z
  .strictObject({
    version,
    name: id.optional().describe('Name of the plan. Default: the name of the file.'),
    plan: name.describe('Another plan file to read instead. It is then the only key.'),
    ...settings,
    tasks: tasks.optional().describe('The tasks of a plan with one wave.'),
    waves: z.array(wave).optional().describe('The waves, in their order.'),
  })
  .meta({ title: 'Tidegate plan' });

export const configSchema = z
  .strictObject({ version, ...optional(configFields), ...notOffered })
  .meta({ title: 'Tidegate configuration' });

export const userConfigSchema = z
  .strictObject({ version, ...optional(userFields), ...notOffered })
  .meta({ title: 'Tidegate user configuration' });

/** Front matter may have every key of a task but `do`, and must not contradict the plan. */
export const frontMatterSchema = z.strictObject({ id: id.optional(), ...keys });

export type PlanDocument = z.infer<typeof planSchema>;
export type UserConfigDocument = z.infer<typeof userConfigSchema>;
export type FrontMatter = z.infer<typeof frontMatterSchema>;
export type TaskDocument = z.infer<typeof task>;

type Optional<F> = { readonly [K in keyof F]: z.ZodOptional<z.ZodType<ValueOf<F[K]>>> };

function optional<F extends ShapeFields>(shapes: F): Optional<F> {
  return mapValues(shapes, (shape) => schemaOf(shape).optional()) as Optional<F>;
}

/** Descriptions are put on last: a described schema is a copy. */
function schemaOf<T>(shape: Shape<T>): z.ZodType<T> {
  const schema = bare(shape);
  return (shape.about === undefined ? schema : schema.describe(shape.about)) as z.ZodType<T>;
}

function bare(shape: Shape): z.ZodType {
  switch (shape.is) {
    case 'text':
      return textSchema(shape);
    case 'whole-number': {
      const number = z.int().min(shape.min);
      return shape.max === undefined ? number : number.max(shape.max);
    }
    case 'positive-number':
      return z.number().positive();
    case 'boolean':
      return z.boolean();
    case 'null':
      return z.null();
    case 'word':
      return shape.words.length === 1 ? z.literal(shape.words) : z.enum(shape.words);
    case 'list':
      return shape.min === 0 ? z.array(schemaOf(shape.of)) : z.array(schemaOf(shape.of)).min(shape.min);
    case 'map':
      return z.record(textSchema(shape.keys), schemaOf(shape.values));
    case 'fields':
      return z.strictObject({ ...mapValues(shape.required, schemaOf), ...optional(shape.optional) });
    case 'nullable':
      return schemaOf(shape.of).nullable();
    case 'either':
      return z.union(shape.of.map((one) => schemaOf(one)));
  }
}

function textSchema({ matches, min, max }: TextData) {
  let schema = z.string();
  if (matches !== undefined) schema = schema.regex(matches);
  if (min !== undefined) schema = schema.min(min);
  return max === undefined ? schema : schema.max(max);
}

function mapValues<T>(shapes: ShapeFields, make: (shape: Shape) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, make(shape)]));
}
