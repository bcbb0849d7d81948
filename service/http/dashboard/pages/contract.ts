import { BASE_PATH } from '../../../../contract/version.ts';
import { type Column, table } from '../components.ts';
import { copyButton } from '../copy.ts';
import { showFirstRequest, toApiAddress } from '../first-request.ts';
import { type Html, html, nothing } from '../html.ts';
import { showPage } from '../layout.ts';
import type { Dashboard } from '../routes.ts';
import type { Visit } from '../view.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly examples?: readonly unknown[];
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The address of the API, a first request to copy, and the contract itself, made from the served OpenAPI document. */
export function contractPage({ context, page }: Dashboard, getContract: () => object): void {
  const { settings } = context;
  const { budgets } = settings;
  page('/contract', async (visit) => {
    const { text, format } = visit;
    const { contract: t } = text;
    const { paths } = getContract() as Contract;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => showOperation(visit, method, path, operation)),
    );
    const count = ({ limit }: { limit: number }) => format.count(limit);
    const content = html`<h2>${t.address}</h2>
<p><code class="select-all" id="address">${toApiAddress(visit, settings)}</code> ${copyButton(visit, 'address')}</p>
<p>${t.addressText}</p>
<h2>${t.first}</h2>
${showFirstRequest(visit, settings)}
<h2>${t.limits}</h2>
<p>${t.limitsText(count(budgets.minute), count(budgets.hour), count(budgets.day), count(budgets.submissions))}</p>
<p><a href="${BASE_PATH}/openapi.json">${t.document}</a></p>
<h2>${t.operations}</h2>
${t.originalLanguage === '' ? nothing : html`<p class="quiet">${t.originalLanguage}</p>`}
<div${visit.language === 'en' ? nothing : html` lang="en"`}>${operations}</div>`;
    return showPage(visit, { title: t.title, section: 'contract', content });
  });
}

function showOperation({ text }: Visit, method: string, path: string, operation: Operation): Html {
  const { contract: t } = text;
  const parameters = operation.parameters ?? [];
  const describe = describeField(t);
  const body = operation.requestBody?.content['application/json']?.schema;
  return html`<details><summary><code>${method.toUpperCase()} ${path}</code> ${operation.summary ?? ''}</summary>
${operation.description === undefined ? nothing : html`<p>${operation.description}</p>`}
${
  parameters.length === 0
    ? nothing
    : table({
        caption: t.parameters,
        columns: [
          [t.parameter, ({ name }) => html`<code>${name}</code>`],
          [t.in, ({ in: place }) => place],
          [t.meaning, (each) => describe(each.required === true, each.schema, each.description), 'text'],
        ],
        rows: parameters,
      })
}
${body === undefined ? nothing : showBody(t.body, body, text.contract)}
${table({
  caption: t.answers,
  columns: [
    [t.status, ([status]) => status],
    [t.meaning, ([, { description }]) => description, 'text'],
  ],
  rows: Object.entries(operation.responses),
})}</details>`;
}

function showBody(caption: string, schema: Schema, t: Visit['text']['contract']): Html {
  const describe = describeField(t);
  const columns: Column<[string, Schema]>[] = [
    [t.parameter, ([name]) => html`<code>${name}</code>`],
    [t.meaning, ([name, field]) => describe(schema.required?.includes(name) === true, field), 'text'],
  ];
  const example = schema.examples?.[0];
  return html`${table({ caption, columns, rows: Object.entries(schema.properties ?? {}) })}
${example === undefined ? nothing : html`<pre class="select-all">${JSON.stringify(example, null, 2)}</pre>`}`;
}

const describeField =
  (t: Visit['text']['contract']) =>
  (required: boolean, schema?: Schema, description = schema?.description ?? ''): string =>
    [required ? t.required : '', toText(schema), description].filter((part) => part !== '').join('; ');

const toText = (schema: Schema | undefined): string =>
  schema?.enum?.join(' | ') ?? (schema?.type === undefined ? '' : [schema.type].flat().join(' or '));
