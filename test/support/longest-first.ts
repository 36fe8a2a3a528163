import type { TestSpecification } from 'vitest/node';

/** Sorts files of which the path has one of these parts to the front, in this order: one that began last would be waited for alone. */
export const longestFirst = (longest: readonly string[]) =>
  class LongestFirst {
    sort(files: TestSpecification[]): TestSpecification[] {
      const rank = ({ moduleId }: TestSpecification) => longest.findIndex((part) => moduleId.includes(part)) >>> 0;
      return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
    }

    shard(files: TestSpecification[]): TestSpecification[] {
      return files;
    }
  };
