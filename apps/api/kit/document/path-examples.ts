import { eachOperation, type NamedDocument, type Parameter } from "./api-document.ts";
import { EXAMPLE_ID } from "./example-values.ts";

/* Examples of what stands in the addresses of calls. */

/** The nouns with which ids begin, by the step of the path before the id. */
const NOUNS: Readonly<Record<string, string>> = {
	accounts: "acc",
	app_imports: "mov",
	apps: "app",
	connections: "app",
	deliveries: "whd",
	events: "evt",
	exports: "job",
	image_jobs: "job",
	images: "img",
	imports: "job",
	invites: "inv",
	invoices: "ivc",
	jobs: "job",
	keys: "key",
	login: "log",
	masters: "img",
	members: "acc",
	operators: "acc",
	passkeys: "psk",
	plans: "pln",
	presets: "pre",
	prices: "prc",
	redirect_uris: "red",
	reports: "rep",
	sessions: "ses",
	signing_keys: "sgk",
	subscriptions: "sub",
	tokens: "tok",
	upload_tickets: "upt",
	users: "usr",
	webhook_endpoints: "whe",
};

/** What begins with another noun than its step of the path says, or is no id. */
const OTHERS: Readonly<Record<string, string>> = {
	"/v1/me/plans/{plan}": `sub_${EXAMPLE_ID}`,
	"/v1/uploads/{token}": "6ZtQm2vXcN8kLr4TgYwH0sJbPd3FaE7uKiO9xCqVn5R",
	"/{team_hash}": "VQfCHCwCE4OEiSWT",
	"/{team_hash}/{filename}": `img_${EXAMPLE_ID}.jpg`,
};

/** Each parameter in a path shows what it looks like. */
export function withPathExamples(document: NamedDocument): NamedDocument {
	return eachOperation(document, (operation, path) => {
		if (!operation.parameters) return operation;
		const parameters = operation.parameters.map((one) => (one.in === "path" ? shown(one, path) : one));
		return { ...operation, parameters };
	});
}

/** @throws Error for a step of a path whose ids have no noun here */
function shown(parameter: Parameter, path: string): Parameter {
	const end = path.indexOf(`{${parameter.name}}`);
	const step = path.slice(0, end).split("/").at(-2) ?? "";
	const other = OTHERS[path.slice(0, end + parameter.name.length + "{}".length)];
	const example = other ?? (step in NOUNS ? `${NOUNS[step]}_${EXAMPLE_ID}` : undefined);
	if (example === undefined) throw new Error(`The API document has no example of ${parameter.name} in ${path}.`);
	return { ...parameter, schema: { ...parameter.schema, examples: [example] } };
}
