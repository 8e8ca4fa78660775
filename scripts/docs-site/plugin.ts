/**
 * A plugin of TypeDoc that orders the docs site: names of the package and pages get categories, pages their titles. It stands here
 * and not in the comments, which editors show.
 */
import { readFileSync } from 'node:fs';
import {
  type Application,
  Comment,
  CommentTag,
  Converter,
  type DeclarationReflection,
  type DocumentReflection,
  type ProjectReflection,
  ReflectionKind,
} from 'typedoc';

/** Categories of names, by the first pattern that a name matches. Others belong to the last. */
const NAMES: readonly (readonly [string, RegExp])[] = [
  ['Errors', /Error$|^is[A-Z]|^ErrorFacts$|^ShapeIssue$|^unwrapError$/],
  ['Any endpoint', /^(GetOptions|Method|RequestOptions|RequestBody|ResponseHead|TypedClient|Param|Path|Query$)/],
  ['Bulk and walk', /^Bulk|^Walk|Walk$|^Page|^Paginat|^YieldedPage$/],
  ['Bodies', /^Asset|Asset|^Info$|^StxLockEvent$|^UnknownEventType$|^checkAddress$|^Standard|^Endpoint$/],
  ['Events', /Event$|EventListener|^Logger$|^Reason|^Queue(dCall|Options)$/],
  ['Quota', /Quota|^readFamilies$|^Window|^Month|^Estimate|^Reserve|^Period$|Share$/],
  ['Time', /Clock$/],
  ['Client', /./],
];

/** Categories of pages, by their paths. */
const PAGES: readonly (readonly [string, RegExp])[] = [
  ['Figures', /decisions\/figures\//],
  ['Decisions', /decisions\//],
  ['Project', /[A-Z]+\.md$|(architecture|sharing-protocol)\.md$/],
  ['Guides', /./],
];

/** Called by TypeDoc. */
export function load({ converter }: Application): void {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const page of project.getReflectionsByKind(ReflectionKind.Document)) {
      const path = project.files.getReflectionPath(page) ?? '';
      page.name = titleOf(path);
      put(page as DocumentReflection, categoryOf(PAGES, path));
    }
    for (const module of modulesOf(project)) {
      put(module, 'Reference');
      if (module.name !== 'stacks-quota') continue;
      for (const one of module.children ?? []) put(one, categoryOf(NAMES, one.name));
    }
  });
}

function modulesOf(project: ProjectReflection): readonly DeclarationReflection[] {
  return project.children?.filter(({ kind }) => kind === ReflectionKind.Module) ?? [];
}

function put(reflection: DeclarationReflection | DocumentReflection, category: string): void {
  reflection.comment ??= new Comment();
  reflection.comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: category }]));
}

function categoryOf(categories: typeof NAMES, name: string): string {
  return categories.find(([, pattern]) => pattern.test(name))?.[0] ?? '';
}

/** The title of a page. A decision and its figures have the decision's number before it, by which other pages name them. */
function titleOf(path: string): string {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  const [, number] = /decisions\/(?:figures\/)?(\d{4})-/.exec(path) ?? [];
  return `${number === undefined ? '' : `${number} `}${title.replaceAll('`', '')}`;
}
