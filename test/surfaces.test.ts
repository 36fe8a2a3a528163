import { describe, expect, test } from 'vitest';
import { commandList } from '../src/cli/commands/list.ts';
import { assistantHandler } from '../src/cli/commands/serve/mcp-server.ts';
import type { Context } from '../src/cli/frame/command.ts';
import type { RepositoryAccess } from '../src/cli/frame/ports.ts';
import { allCommands } from '../src/cli/frame/program.ts';
import { plainTerminal } from '../src/cli/frame/terminals.ts';
import { routes } from '../src/contract/routes.ts';
import { dcmRoutes } from '../src/dcm/routes.ts';
import { err } from '../src/domain/base/result.ts';
import type { ActionTerms } from '../src/engine/actions/action.ts';
import { actions, allTerms } from '../src/engine/actions/actions.ts';
import { mayPerform } from '../src/engine/actions/perform.ts';
import { ports } from '../src/main/ports.ts';
import { routeActions } from '../src/server/perform.ts';

/** An action says who may call it and which interfaces offer it. Every surface is held to that here. */

const named = (terms: readonly ActionTerms[]): readonly string[] => terms.map(({ name }) => name).toSorted();

test('an action is listed by its own name, and agents may call those that are for anyone', () => {
  expect(Object.entries(actions).filter(([name, action]) => action.name !== name)).toEqual([]);
  const agent = { mayDecide: false };
  expect(named(allTerms.filter((terms) => mayPerform(terms, agent)))).toEqual([
    'order',
    'pause',
    'resume',
    'retry',
    'rework',
    'stop',
  ]);
  expect(allTerms.filter((terms) => !mayPerform(terms, { mayDecide: true }))).toEqual([]);
});

describe('REST', () => {
  const offered: Readonly<Record<string, readonly ActionTerms[]>> = routeActions;
  /** A session that others drive is no run of ours, and a link only lets a browser in. */
  const noAction = [...Object.keys(dcmRoutes), 'link'];
  const asking = Object.entries(routes).filter(
    ([id, { method, role }]) => method !== 'GET' && role !== 'read' && !noAction.includes(id),
  );

  test('every route that asks for something performs an action, and every action that REST offers has a route', () => {
    expect(asking.map(([id]) => id).toSorted()).toEqual(Object.keys(offered).toSorted());
    const performed = new Set(Object.values(offered).flat());
    expect(named([...performed])).toEqual(named(allTerms.filter(({ rest }) => rest)));
  });

  test('a link for a browser, which lets it decide, takes the role approve', () => {
    expect(routes.link.role).toBe('approve');
  });

  test.each(asking)('%s takes the role that its action asks for', (id, { role }) => {
    const isForPeople = offered[id]?.some(({ who }) => who === 'person');
    expect(role).toBe(isForPeople === true ? 'approve' : 'operate');
  });
});

describe('MCP', () => {
  const modes: RepositoryAccess[] = [];
  const context: Context = {
    terminal: plainTerminal({ line: () => undefined, problem: () => undefined, json: () => undefined }),
    json: false,
    cwd: '/',
    stateRoot: null,
    env: {},
    version: '0',
    readerGone: new AbortController().signal,
    onSignal: () => ({ [Symbol.dispose]: () => undefined }),
  };
  const openRepository: typeof ports.openRepository = async (_, mode) => {
    modes.push(mode);
    return err('there is no repository');
  };
  const answer = assistantHandler({ commands: commandList, ports: { ...ports, openRepository } }, context, (error) => {
    throw error;
  });

  test('no action of a person is a tool', () => {
    expect(named(allTerms.filter(({ who, mcp }) => who === 'person' && mcp))).toEqual([]);
  });

  test('the tools are the actions and the commands that say so, and such a command only looks', async () => {
    const { result } = await called('tools/list', {});
    const tools = result.tools.map(({ name }) => name).toSorted();
    const shown = (await allCommands(commandList)).filter(({ mcp }) => mcp === true).map(({ name }) => name);
    expect(tools).toEqual([...shown, ...named(allTerms.filter(({ mcp }) => mcp))].toSorted());
    for (const name of tools) await called('tools/call', { name, arguments: {} });
    expect(modes).toEqual(tools.map(() => 'look'));
  });

  async function called(
    method: string,
    params: object,
  ): Promise<{ readonly result: { readonly tools: ActionTerms[] } }> {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await (await answer(request, body)).text();
    return JSON.parse(text.slice(text.indexOf('{'))) as { readonly result: { readonly tools: ActionTerms[] } };
  }
});
