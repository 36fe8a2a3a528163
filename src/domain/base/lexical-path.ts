/** Where a path leads by its spelling alone, `.` and `..` resolved; links are not followed. */
export function resolvePath(from: string, path: string): string {
  const steps: string[] = [];
  for (const step of (path.startsWith('/') ? path : `${from}/${path}`).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/** The path below a directory, `''` for the directory itself, null when it lies elsewhere. Both are resolved. */
export function below(directory: string, path: string): string | null {
  if (path === directory) return '';
  const prefix = directory === '/' ? '/' : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}
