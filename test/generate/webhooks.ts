import { signedHeaders } from "@svc/base/crypto/standard-webhooks";
import { EVENT_TYPES } from "@svc/base/enumerations";
import { documentOf } from "../support/documents.ts";
import { OCCASIONS } from "./cures.ts";
import { constant, seconds, waits, written } from "./facts.ts";

/* The page of webhooks: what is sent, how it is signed, and when it is sent again. */

interface Documented {
	readonly components: {
		readonly examples: Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> }>>;
	};
	readonly webhooks: {
		readonly event: {
			readonly post: { readonly parameters: readonly { readonly name: string; readonly description: string }[] };
		};
	};
}

/** Anybody may know it: it signs the example alone. */
const SECRET = `whsec_${Buffer.from("this secret is only for an example").toString("base64")}`;
const SIGNED_AT_SECONDS = 1_796_464_800;

/** Of an object in the API document, what its events carry. */
const SHOWN: readonly { readonly type: string; readonly shape: string; readonly more?: object }[] = [
	{ type: "image.updated", shape: "Image", more: { previous: { caption: "", labels: { album: "spring" } } } },
	{ type: "image.blocked", shape: "Image", more: { reason: "spam" } },
	{ type: "image.deleted", shape: "Tombstone" },
	{ type: "user.connected", shape: "ConnectedUser" },
	{ type: "subscription.updated", shape: "BillingStatus" },
];

export async function webhooksPage(): Promise<string> {
	const { components, webhooks } = await documentOf<Documented>();
	const exampleOf = (shape: string) => {
		const found = components.examples[shape];
		if (found === undefined) throw new Error(`The API document has no example of ${shape}.`);
		return found.value;
	};
	const event = (type: string, data: object) => ({ ...exampleOf("Event"), type, data });
	const wrong = SHOWN.filter(({ type }) => !(EVENT_TYPES as readonly string[]).includes(type));
	if (wrong.length > 0) throw new Error(`There are no events ${wrong.map(({ type }) => type)}.`);
	const examples = SHOWN.map(({ type, shape, more }) => {
		const about = OCCASIONS[type as (typeof EVENT_TYPES)[number]];
		return `### ${type}\n\n${about} Its \`data\`:\n\n${json({ object: shortened(exampleOf(shape)), ...more })}\n`;
	});
	const body = JSON.stringify(event("image.deleted", { object: exampleOf("Tombstone") }));
	const id = String(exampleOf("Event").id);
	const headers = signedHeaders({ id, seconds: SIGNED_AT_SECONDS, body }, [SECRET]);
	const rows = webhooks.event.post.parameters.map(({ name, description }) => `| \`${name}\` | ${description} |`);
	const steps = waits("packages/webhooks/deliveries.ts", "WAITS").map(
		(ms, at) => `| ${at + 2} | ${seconds(ms / 1_000)} |`,
	);
	const answerWithin = seconds(written("packages/import/safe-post.ts", /deadlineMs = ([\d_]+)/) / 1_000);
	const disabledAfter = seconds(constant("packages/webhooks/results-store.ts", "DISABLED_AFTER_MS") / 1_000);
	const warnedAfter = seconds(constant("packages/webhooks/results-store.ts", "WARNED_AFTER_MS") / 1_000);
	return `# Webhooks

<!-- Made by \`npm run generate\`: change the code instead. -->

What the service sends to an endpoint of yours. [Webhooks and events](../guides/events.md) says how to begin; [events](events.md) lists the types, [limits](limits.md) the bounds.

## The request

A \`POST\` with a JSON body to an https address on port 443, which must be a public one. Redirects are not followed.

| Header | |
|---|---|
| \`content-type\` | \`application/json\` |
${rows.join("\n")}

## The signature

That of [Standard Webhooks](https://www.standardwebhooks.com): HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<body>\`, with the bytes of which the secret, behind \`whsec_\`, is the base64. In base64, behind \`v1,\`.
While a secret is rotated the header has two signatures, with a space between: one that fits is enough. Refuse a timestamp that is more than five minutes away, and compare in constant time.
\`verifyWebhook\` of the [SDK](sdk.md) does all of it. To try your own code, with this secret:

\`\`\`
${SECRET}
\`\`\`

this request is a good one:

\`\`\`http
webhook-id: ${headers["webhook-id"]}
webhook-timestamp: ${headers["webhook-timestamp"]}
webhook-signature: ${headers["webhook-signature"]}

${body}
\`\`\`

## Your answer

| Answer | What follows |
|---|---|
| 2xx within ${answerWithin} | delivered |
| 410 | the endpoint is disabled: nothing more is sent |
| anything else, or none | it is sent again, with the same \`webhook-id\`, by the table below; \`Retry-After\` is heeded up to a day |

| Try | After, each a tenth longer or shorter |
|---|---|
| 1 | at once |
${steps.join("\n")}

When every delivery to an endpoint fails, the team is told after ${warnedAfter}, and the endpoint is disabled after ${disabledAfter}. Mend it, switch it on (\`svc webhooks edit <endpoint> --state enabled\`), and let
\`svc webhooks recover <endpoint> --since 24h\` send what was missed.

Order is not promised, and an event may come twice: keep the ids that you have done, and read the object anew where order matters.

## Bodies

Every body is an event: \`data.object\` is the object as the change left it, in the form in which its own call answers. What is deleted is a tombstone; \`previous\` has the former values of what
changed; \`user_id\` is null where the App itself or its own storage is meant. Of some objects not all fields are shown here ([API](/docs/api) has them all). \`svc webhooks test <endpoint>\`
sends one of the type \`webhook.test\`.

### image.created

${OCCASIONS["image.created"]} All of its body:

${json(event("image.created", { object: shortened(exampleOf("Image")) }))}

${examples.join("\n")}`;
}

/** A long object's first fields, so that the page stays readable. */
function shortened(object: Readonly<Record<string, unknown>>): object {
	const { sizes: _, ...rest } = object;
	return Object.fromEntries(Object.entries(rest).slice(0, 10));
}

function json(value: object): string {
	const text = JSON.stringify(value, null, 2).replace(/\{\n\s+("[^"\n]+": [^\n{[]{1,40})\n\s+\}/g, "{ $1 }");
	return `\`\`\`json\n${text}\n\`\`\``;
}
