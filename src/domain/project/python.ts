import type { Directory, ProjectPart } from './project.ts';

/** uv, poetry, or pip into a `.venv` of the workspace. */
export function pythonPart(directory: Directory): ProjectPart | null {
  const project = directory.text('pyproject.toml');
  const requirements = requirementFiles.filter((name) => directory.has(name));
  if (project === null && requirements.length === 0 && !directory.has('setup.py')) return null;
  const { tool, setup, run, generated } = toolOf(directory, project ?? '', requirements);
  const config = [project, ...[...requirements, 'setup.cfg', 'tox.ini'].map(directory.text)].join('\n');
  return {
    tool,
    setup,
    checks: [
      ...testsOf(directory, config).map((command) => ({ name: 'test', run: run(command) })),
      ...(names(config, 'ruff') ? [{ name: 'lint', run: run('ruff check .') }] : []),
      ...(names(config, 'mypy') ? [{ name: 'typecheck', run: run('mypy .') }] : []),
    ],
    generated,
    makes: setup === null ? [] : ['.venv'],
    notes: [],
  };
}

const requirementFiles = ['requirements.txt', 'requirements-dev.txt', 'requirements-test.txt', 'dev-requirements.txt'];

type Tool = Pick<ProjectPart, 'tool' | 'setup' | 'generated'> & { readonly run: (command: string) => string };

/** Checks have no network, so nothing of theirs may look whether the environment is up to date. */
function toolOf(directory: Directory, project: string, requirements: readonly string[]): Tool {
  if (directory.has('uv.lock'))
    return {
      tool: 'uv',
      setup: 'uv sync --frozen',
      run: (command) => `uv run --no-sync ${asProgram(command)}`,
      generated: { 'uv.lock': 'uv lock' },
    };
  if (directory.has('poetry.lock'))
    return {
      tool: 'poetry',
      // elsewhere it would lie in a home that the next fence does not have
      setup: 'POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install',
      run: (command) => `poetry run ${asProgram(command)}`,
      generated: { 'poetry.lock': 'poetry lock' },
    };
  const packages =
    requirements.length > 0 ? requirements.map((name) => `-r ${name}`).join(' ') : ownPackage(directory, project);
  if (packages === null)
    return { tool: 'python', setup: null, run: (command) => `python3 -m ${command}`, generated: {} };
  return {
    tool: 'pip',
    setup: `python3 -m venv .venv && .venv/bin/pip install ${packages}`,
    run: (command) => `.venv/bin/python -m ${command}`,
    generated: {},
  };
}

/** Returns a command as it is typed. Only `unittest` is a module and no program. */
const asProgram = (command: string): string => (command === 'unittest' ? 'python -m unittest' : command);

/** With the extras that tests are usually in. */
function ownPackage(directory: Directory, project: string): string | null {
  if (!/^\[(project|build-system)\]/m.test(project)) return directory.has('setup.py') ? '-e .' : null;
  const sections = project.split(/^(?=\[)/m);
  const optional = sections.find((section) => section.startsWith('[project.optional-dependencies]')) ?? '';
  const extras = ['dev', 'test', 'tests'].filter((name) => new RegExp(`^${name}\\s*=`, 'm').test(optional));
  return extras.length === 0 ? '-e .' : `-e '.[${extras.join(',')}]'`;
}

function testsOf(directory: Directory, config: string): readonly string[] {
  if (names(config, 'pytest') || config.includes('[tool.pytest') || directory.has('pytest.ini')) return ['pytest'];
  const hasTests = directory.files.some((path) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path));
  return hasTests ? ['unittest'] : [];
}

/** True when it is a dependency, not only a section that configures it. */
const names = (config: string, program: string): boolean =>
  new RegExp(`^\\s*["']?${program}(?![\\w.-])|["']${program}(?![\\w.-])`, 'm').test(config);
