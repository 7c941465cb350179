import { FAILURE_CODES, Failure } from "@svc/base/failure";
import { statusOf } from "../refusals/failure.ts";
import type { ApiRooms } from "../rooms.ts";

/* What the API document says before its first call: how to begin, who may call what, and how calls fail. */

export function guideOf({
	addresses: { base },
	variant: { version },
}: Pick<ApiRooms, "addresses" | "variant">): string {
	return `Image storage with addresses that transform.

## Begin

\`\`\`sh
curl -X POST ${base}/v1/images -H "Authorization: Bearer <API_KEY>" -F "file=@photo.jpg"
\`\`\`

The answer's \`url\` shows the picture; \`?w=400&format=webp\` behind it makes another one of it. At \`/docs/api\` each call has a form to
try it.

## Who calls

Every call sends \`Authorization: Bearer <secret>\`, but for those that say that they need none.

| Secret | Whose | Reaches |
|---|---|---|
| \`svc_sk_…\` | an App's key, for its backend alone | the App's storage; an App-wide key, with \`X-Svc-User: usr_…\`, that of a connected user |
| \`svc_live_…\`, \`svc_test_…\` | a person's own key | their own storage |
| \`svc_ses_…\`, \`svc_pat_…\` | a person's session, or a token of theirs | Apps, teams, billing and operation; with \`X-Svc-App: app_…\`, an App's images and usage |

## Lists

Lists are \`{"object": "list", "data": […], "pagination": {…}}\`. \`limit\` is 1 to 100, and 50 when it is left out; \`cursor\` is the
\`next_cursor\` of the page before, or follow \`next_url\`. On the last page both are null.

## Errors

Every error is \`{"error": {"type", "code", "message"}}\`, with \`details\` where fields are wrong, by their names, and with \`action\` where
something can be done. Go by \`code\`. Where waiting helps, \`action.retry_after\` and the header \`Retry-After\` say how many seconds.

Where time ran out, 503 or 504 stands for 500 or 502. The answer's \`X-Request-Id\` finds it in the service's log.

<details><summary>All codes</summary>

| Status | Code | Meaning |
|---|---|---|
${errorRows().join("\n")}

</details>

## Versions

This service speaks interface ${version}. Interfaces 4.4.0 and 4.6.0 are both dated 29 September 2026.
`;
}

function errorRows(): readonly string[] {
	const failures = FAILURE_CODES.map((code) => new Failure(code));
	const rows = failures.map((failure) => `| ${statusOf(failure)} | \`${failure.code}\` | ${failure.message} |`);
	return rows.sort();
}

/** In the order in which a developer needs them. */
export const TAGS = [
	{ name: "images", description: "Store, find, change and delete images: what an App's backend does all day" },
	{ name: "events", description: "What happened to an App, in order: a feed to go on from, and webhooks" },
	{ name: "tickets", description: "Let a browser or a phone upload a picture without a key" },
	{ name: "imports", description: "Let the service fetch many pictures from their addresses" },
	{ name: "usage", description: "What is stored, and how much more may be" },
	{ name: "auth", description: "Who has signed in on the hosted page, for an App's backend" },
	{ name: "billing", description: "What an App sells, and what one of its users may have" },
	{ name: "apps", description: "Make and run Apps" },
	{ name: "keys", description: "An App's keys" },
	{
		name: "delivery",
		description: "Which addresses of an App's images are answered: presets, and keys with which addresses are signed",
	},
	{ name: "members", description: "An App's team, and invites into it" },
	{ name: "users", description: "The people who are connected to an App" },
	{ name: "plans", description: "The plans and prices that an App sells, and who pays them" },
	{ name: "app billing", description: "What an App itself pays for: its own plan" },
	{ name: "audit", description: "Who did what in an App" },
	{ name: "jobs", description: "Work that goes on after the answer" },
	{ name: "people", description: "Signing in by e-mail code or passkey, sessions, tokens and one's own account" },
	{ name: "own plans", description: "What one pays for oneself, whatever became of the App" },
	{ name: "me", description: "One's own connections to Apps, and one's own keys" },
	{ name: "moderation", description: "For operators: judge images and reports" },
	{ name: "operator", description: "For operators: run the service" },
];
