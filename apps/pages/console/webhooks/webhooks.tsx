import type { App, WebhookEndpoint } from "@svc/sdk/shapes";
import type { Page, PageResult } from "../../kit/visit.ts";
import { ActForm, TextArea, TextField } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { SecretCard } from "../kit/secret-card.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { EndpointState, LastDelivered } from "./states.tsx";

/* Where an App's events are sent. An App has at most ten endpoints: one page. */

export const webhooksScreen: Screen = { path: "/:app/webhooks", get: showWebhooks, acts: { create } };

/** The secret is null where the form was sent before. */
export type EndpointWithSecret = WebhookEndpoint & { readonly secret: string | null };

async function showWebhooks(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	return await webhooksPage(visit, { refused });
}

interface Shown {
	readonly refused?: Refused | undefined;
	readonly made?: EndpointWithSecret;
}

async function webhooksPage(visit: ConsoleVisit, { refused, made }: Shown): Promise<Page> {
	const { app: id = "" } = visit.params;
	const [app, { data }] = await Promise.all([visit.api.apps.get(id), visit.api.apps.of(id).webhooks.list()]);
	const here = `/console/${app.id}/webhooks`;
	const children = (
		<>
			{made && <MadeSecretCard made={made} />}
			{hasRole(app, "admin") && <NewEndpoint visit={visit} here={here} refused={refused} open={data.length === 0} />}
			{data.length > 0 ? <Endpoints app={app} endpoints={data} /> : <p className="empty soft">{t("webhooks.none")}</p>}
		</>
	);
	return screenPage(visit, { title: t("webhooks"), app, screen: "webhooks", scripts: ["copy"], children });
}

export function MadeSecretCard({ made }: { readonly made: EndpointWithSecret }) {
	return <SecretCard title={made.url} secret={made.secret} env={(secret) => `SVC_WEBHOOK_SECRET=${secret}`} />;
}

interface NewEndpointProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	readonly refused: Refused | undefined;
	readonly open: boolean;
}

function NewEndpoint({ visit, here, refused, open }: NewEndpointProps) {
	return (
		<details className="ask narrow" open={open || refused?.act === "create"}>
			<summary className="button primary">{t("webhooks.new")}</summary>
			<div className="card">
				<ActForm visit={visit} action={here} act="create" refused={refused}>
					<EndpointFields act="create" refused={refused} />
					<button className="primary" type="submit">
						{t("webhooks.create")}
					</button>
				</ActForm>
			</div>
		</details>
	);
}

interface EndpointFieldsProps {
	readonly act: string;
	readonly refused: Refused | undefined;
	/** As it is; left out for one that is to be made. */
	readonly of?: WebhookEndpoint;
}

export function EndpointFields({ act, refused, of: endpoint }: EndpointFieldsProps) {
	const common = { act, refused };
	return (
		<>
			<TextField
				{...common}
				name="url"
				label={t("address")}
				hint={t("webhooks.url.hint")}
				value={endpoint?.url ?? ""}
				input={{ type: "url", required: true }}
			/>
			<TextArea
				{...common}
				name="types"
				label={t("events")}
				hint={t("webhooks.types.hint")}
				value={(endpoint?.types ?? ["*"]).join("\n")}
			/>
			<TextField
				{...common}
				name="description"
				label={t("description")}
				value={endpoint?.description ?? ""}
				input={{ maxLength: 500 }}
			/>
		</>
	);
}

/** What the fields say: all of it. */
export function endpointOf({ form }: ConsolePost) {
	const types = (form.get("types") ?? "").split(/[\s,]+/).filter(Boolean);
	return { url: form.get("url")?.trim() ?? "", types, description: form.get("description")?.trim() ?? "" };
}

function Endpoints({ app, endpoints }: { readonly app: App; readonly endpoints: readonly WebhookEndpoint[] }) {
	const lines = endpoints.map((endpoint) => ({
		id: endpoint.id,
		cells: [
			<div key="name">
				<a href={`/console/${app.id}/webhooks/${endpoint.id}`}>
					<bdi>{endpoint.url}</bdi>
				</a>
				<span className="fine changes">
					<bdi>{endpoint.description}</bdi>
				</span>
			</div>,
			<code key="types">{endpoint.types.join(", ")}</code>,
			<EndpointState key="state" of={endpoint} />,
			<LastDelivered key="last" of={endpoint} />,
		],
	}));
	const columns = [t("address"), t("events"), t("state"), t("webhooks.last")];
	return <Lines caption={t("webhooks")} columns={columns} lines={lines} />;
}

async function create(post: ConsolePost): Promise<PageResult> {
	const { webhooks } = post.api.apps.of(post.params.app ?? "");
	const { idempotencyKey } = post;
	const made = await webhooks.create(endpointOf(post), idempotencyKey ? { idempotencyKey } : {});
	return await webhooksPage(post, { made });
}
