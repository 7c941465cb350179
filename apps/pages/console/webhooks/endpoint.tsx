import type { WebhookDelivery, WebhookEndpoint } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { POLLED } from "../kit/asks-again.tsx";
import { asked, Narrow, StateChoice, TypeChoice } from "../kit/choice.tsx";
import { Fact } from "../kit/facts.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { EndpointActs } from "./endpoint-acts.tsx";
import {
	AnswerText,
	DELIVERY_STATES,
	DeliveryState,
	EndpointState,
	isUnderWay,
	LastDelivered,
	NextTry,
} from "./states.tsx";
import { type EndpointWithSecret, endpointOf, MadeSecretCard } from "./webhooks.tsx";

/* One endpoint: what it gets, what can be done with it, and what was sent to it in the last 30 days. */

export const endpointScreen: Screen = {
	path: "/:app/webhooks/:endpoint",
	get: (visit, refused) => endpointPage(visit, { refused }),
	acts: { save, rotate, test, disable, enable, recover, delete: remove },
};

interface Shown {
	readonly refused?: Refused | undefined;
	readonly made?: EndpointWithSecret;
}

/** Sent by a person, and in no feed. */
const TEST = "webhook.test";

async function endpointPage(visit: ConsoleVisit, { refused, made }: Shown): Promise<Page> {
	const { app: appId = "", endpoint: id = "" } = visit.params;
	const { webhooks } = visit.api.apps.of(appId);
	const filter = asked(visit.url, "state", "types", "event_id", "cursor");
	const [app, endpoint, { data, pagination }] = await Promise.all([
		visit.api.apps.get(appId),
		webhooks.get(id),
		webhooks.deliveries(id).list(filter),
	]);
	const here = `/console/${app.id}/webhooks/${endpoint.id}`;
	const children = (
		<>
			{data.some((one) => isUnderWay(one, visit.nowMs)) && POLLED}
			{made && <MadeSecretCard made={made} />}
			<div className="card">
				<Facts of={endpoint} />
				{hasRole(app, "admin") && <EndpointActs visit={visit} of={endpoint} here={here} refused={refused} />}
			</div>
			<h2>{t("deliveries")}</h2>
			<Narrow here={here}>
				<TypeChoice value={filter.types} also={[TEST]} />
				<StateChoice states={DELIVERY_STATES} value={filter.state} besides />
			</Narrow>
			<Deliveries here={here} deliveries={data} />
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={`/console/${app.id}/webhooks`}>
				← {t("webhooks")}
			</a>
			<h1>
				<bdi>{endpoint.url}</bdi>
			</h1>
		</div>
	);
	return screenPage(visit, { title: endpoint.url, heading, app, screen: "webhooks", scripts: ["copy"], children });
}

function Facts({ of: endpoint }: { readonly of: WebhookEndpoint }) {
	const { types, description, disabled_at, created_at, id } = endpoint;
	return (
		<dl className="facts">
			<Fact name={t("state")}>
				<EndpointState of={endpoint} />
			</Fact>
			{disabled_at !== null && (
				<Fact name={t("webhooks.disabled.since")}>
					<Moment ms={Date.parse(disabled_at)} />
				</Fact>
			)}
			<Fact name={t("events")}>
				<code>{types.join(", ")}</code>
			</Fact>
			{description !== "" && (
				<Fact name={t("description")}>
					<bdi>{description}</bdi>
				</Fact>
			)}
			<Fact name={t("webhooks.last")}>
				<LastDelivered of={endpoint} />
			</Fact>
			<Fact name={t("settings.since")}>
				<Moment ms={Date.parse(created_at)} />
			</Fact>
			<Fact name={t("id")}>
				<code>{id}</code>
			</Fact>
		</dl>
	);
}

interface DeliveriesProps {
	readonly here: string;
	readonly deliveries: readonly WebhookDelivery[];
}

function Deliveries({ here, deliveries }: DeliveriesProps) {
	if (deliveries.length === 0) return <p className="empty soft">{t("deliveries.none")}</p>;
	const lines = deliveries.map((delivery) => ({
		id: delivery.id,
		cells: [
			<a key="type" href={`${here}/${delivery.id}`}>
				<code>{delivery.type}</code>
			</a>,
			<DeliveryState key="state" of={delivery} />,
			<AnswerText key="answer" of={delivery.attempts.at(-1)} />,
			delivery.attempts.length,
			<NextTry key="next" of={delivery} />,
			<Moment key="when" ms={Date.parse(delivery.created_at)} />,
		],
	}));
	const columns = [
		t("events.type"),
		t("state"),
		t("deliveries.answer"),
		t("deliveries.attempts"),
		t("deliveries.next"),
		t("activity.when"),
	];
	return <Lines caption={t("deliveries")} columns={columns} numbers={[3]} lines={lines} />;
}

function hooksOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "").webhooks;
}

function keyOf({ idempotencyKey }: ConsolePost) {
	return idempotencyKey ? { idempotencyKey } : {};
}

/** Shows the endpoint again, with what has been done to it. */
async function shownAgain(post: ConsolePost, what: string): Promise<PageResult> {
	const { app, endpoint } = post.params;
	await post.leave({ what });
	return redirect(`/console/${app}/webhooks/${endpoint}`);
}

async function save(post: ConsolePost): Promise<PageResult> {
	await hooksOf(post).edit(post.params.endpoint ?? "", endpointOf(post));
	return await shownAgain(post, "saved");
}

async function disable(post: ConsolePost): Promise<PageResult> {
	await hooksOf(post).edit(post.params.endpoint ?? "", { state: "disabled" });
	return await shownAgain(post, "disabled");
}

async function enable(post: ConsolePost): Promise<PageResult> {
	await hooksOf(post).edit(post.params.endpoint ?? "", { state: "enabled" });
	return await shownAgain(post, "enabled");
}

async function rotate(post: ConsolePost): Promise<PageResult> {
	const old = post.form.get("old_expires_in") || undefined;
	const made = await hooksOf(post).rotate(post.params.endpoint ?? "", old, keyOf(post));
	return await endpointPage(post, { made });
}

/** Leads to the delivery, which says by itself what becomes of it. */
async function test(post: ConsolePost): Promise<PageResult> {
	const { app, endpoint = "" } = post.params;
	const { id } = await hooksOf(post).test(endpoint, keyOf(post));
	return redirect(`/console/${app}/webhooks/${endpoint}/${id}`);
}

async function recover(post: ConsolePost): Promise<PageResult> {
	await hooksOf(post).recover(post.params.endpoint ?? "", post.form.get("since") ?? "", keyOf(post));
	return await shownAgain(post, "recovering");
}

async function remove(post: ConsolePost): Promise<PageResult> {
	await hooksOf(post).delete(post.params.endpoint ?? "");
	await post.leave({ what: "removed" });
	return redirect(`/console/${post.params.app}/webhooks`);
}
