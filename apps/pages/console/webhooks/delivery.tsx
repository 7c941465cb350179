import type { WebhookAttempt, WebhookDelivery } from "@svc/sdk/shapes";
import { Moment, numberText } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { ASKS_AGAIN, POLLED } from "../kit/asks-again.tsx";
import { CodeBlock } from "../kit/copy-button.tsx";
import { Fact } from "../kit/facts.tsx";
import { ActForm } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { AnswerText, DeliveryState, isUnderWay, NextTry } from "./states.tsx";

/* One event on its way to one endpoint: what is sent, and what came of each try. */

export const deliveryScreen: Screen = {
	path: "/:app/webhooks/:endpoint/:delivery",
	get: showDelivery,
	acts: { redeliver },
};

async function showDelivery(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: appId = "", endpoint = "", delivery: id = "" } = visit.params;
	const [app, delivery] = await Promise.all([
		visit.api.apps.get(appId),
		visit.api.apps.of(appId).webhooks.deliveries(endpoint).get(id, { include: "request" }),
	]);
	const parent = `/console/${app.id}/webhooks/${endpoint}`;
	const isLive = isUnderWay(delivery, visit.nowMs);
	const children = (
		<>
			{isLive && POLLED}
			<div className="card">
				<Facts of={delivery} feed={`/console/${app.id}/events`} />
				{hasRole(app, "admin") && (
					<ActForm visit={visit} action={`${parent}/${id}`} act="redeliver" refused={refused}>
						<button className="quiet" type="submit">
							{t("deliveries.again")}
						</button>
					</ActForm>
				)}
			</div>
			{delivery.attempts.length > 0 && <Attempts attempts={delivery.attempts} />}
			<Sent of={delivery} />
		</>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={parent}>
				← <bdi>{delivery.request ? new URL(delivery.request.url).host : endpoint}</bdi>
			</a>
			<h1>{delivery.type}</h1>
		</div>
	);
	const page = screenPage(visit, {
		title: delivery.type,
		heading,
		app,
		screen: "webhooks",
		scripts: ["copy"],
		children,
	});
	return isLive ? { ...page, head: ASKS_AGAIN } : page;
}

function Facts({ of: delivery, feed }: { readonly of: WebhookDelivery; readonly feed: string }) {
	const { event_id, type, created_at, id } = delivery;
	return (
		<dl className="facts">
			<Fact name={t("state")}>
				<DeliveryState of={delivery} />
			</Fact>
			<Fact name={t("deliveries.next")}>
				<NextTry of={delivery} />
			</Fact>
			<Fact name={t("activity.when")}>
				<Moment ms={Date.parse(created_at)} />
			</Fact>
			<Fact name={t("deliveries.event")}>
				{type.startsWith("webhook.") ? (
					<code>{event_id}</code>
				) : (
					<a href={`${feed}/${event_id}`}>
						<code>{event_id}</code>
					</a>
				)}
			</Fact>
			<Fact name={t("id")}>
				<code>{id}</code>
			</Fact>
		</dl>
	);
}

function Attempts({ attempts }: { readonly attempts: readonly WebhookAttempt[] }) {
	const lines = attempts.map((attempt, place) => ({
		id: place.toString(),
		cells: [
			<Moment key="when" ms={Date.parse(attempt.at)} />,
			<code key="response" className="changes">
				{attempt.response || "–"}
			</code>,
			numberText(attempt.ms),
			<AnswerText key="answer" of={attempt} />,
		],
	}));
	const columns = [t("activity.when"), t("deliveries.response"), t("deliveries.took"), t("deliveries.answer")];
	return <Lines caption={t("deliveries.attempts")} columns={columns} numbers={[2]} lines={lines.toReversed()} />;
}

/** The time and the signature are of each try: whoever looks gets nothing that a receiver would take. */
function Sent({ of: { request, event_id } }: { readonly of: WebhookDelivery }) {
	if (!request) return null;
	const { pathname, search, host } = new URL(request.url);
	const head = `POST ${pathname}${search}\nHost: ${host}\nContent-Type: application/json\nwebhook-id: ${event_id}`;
	const body = JSON.stringify(JSON.parse(request.body), null, 2);
	return (
		<section className="card" aria-labelledby="request-title">
			<h2 id="request-title">{t("deliveries.request")}</h2>
			<p className="soft">{t("deliveries.request.about")}</p>
			<CodeBlock id="request">{`${head}\n\n${body}`}</CodeBlock>
		</section>
	);
}

async function redeliver(post: ConsolePost): Promise<PageResult> {
	const { app = "", endpoint = "", delivery = "" } = post.params;
	const { idempotencyKey } = post;
	const deliveries = post.api.apps.of(app).webhooks.deliveries(endpoint);
	await deliveries.redeliver(delivery, idempotencyKey ? { idempotencyKey } : {});
	await post.leave({ what: "sent" });
	return redirect(`/console/${app}/webhooks/${endpoint}/${delivery}`);
}
