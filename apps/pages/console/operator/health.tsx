import { SIMULATED_OUTCOMES } from "@svc/sdk/lists";
import type { ServiceHealth } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { fileSize, Moment } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import { Lines } from "../kit/lines.tsx";
import { type ConsolePost, type ConsoleVisit, noneOf, type Refused, type Screen } from "../kit/visit.ts";
import { at, FactList, OPERATOR, once, operatorPage, said, typed, wordOf } from "./operator.tsx";

/* Whether the service works, what waits in it, and what it holds. */

export const healthScreen: Screen = {
	path: "/operator/health",
	get: showHealth,
	acts: { reconcile, advance, simulate },
};

const HERE = `${OPERATOR}/health`;

async function showHealth(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const { health, usage, simulation } = visit.api.operator;
	const [now, holds, clock] = await Promise.all([
		health(),
		usage(),
		// Only where payments are simulated the clock can be moved.
		simulation.clock().catch(noneOf("not_found")),
	]);
	const { version, interface_version, started_at, database } = now;
	const form = { visit, refused };
	return operatorPage(visit, {
		screen: "health",
		children: (
			<>
				<div className="panels">
					<Panel
						title={now.degraded ? "Something fails" : "All works"}
						of={{ ...now.checks, release: version, interface: interface_version, started_at, kept_in: database }}
					/>
					<Panel title="What waits" of={now.queues} />
					<Panel title="Stored bytes" of={now.blobs}>
						<Reconcile {...form} />
					</Panel>
					<Panel title="Mail" of={now.mail} />
					<Panel title="Payments" of={now.billing} />
					{(["apps", "accounts", "images", "moderation"] as const).map((name) => (
						<Panel key={name} title={wordOf(name)} of={holds[name]} />
					))}
					{clock && <Simulation {...form} now={clock.now} />}
				</div>
				<Processes health={now} />
			</>
		),
	});
}

interface PanelProps {
	readonly title: string;
	/** What the API says of it, under its own names. */
	readonly of?: object;
	readonly children?: ReactNode;
}

function Panel({ title, of = {}, children }: PanelProps) {
	return (
		<div className="card">
			<h2>{title}</h2>
			<div className="beside">
				<FactList facts={factsOf(of)} />
				{children}
			</div>
		</div>
	);
}

const TIME = /^\d{4}-\d\d-\d\dT/;

function factsOf(of: object): readonly (readonly [name: string, value: ReactNode])[] {
	return Object.entries(of).map(([name, value]) => [wordOf(name), shownOf(name, value)]);
}

function shownOf(name: string, value: unknown): ReactNode {
	if (value === null) return "None";
	if (typeof value === "object")
		return Object.entries(value)
			.map(([part, count]) => `${wordOf(part)} ${count}`)
			.join(", ");
	if (name === "bytes") return fileSize(Number(value));
	const text = String(value);
	return TIME.test(text) ? <Moment ms={at(text)} /> : text;
}

function Processes({ health: { processes } }: { readonly health: ServiceHealth }) {
	const lines = processes.map((one) => ({
		id: `${one.host} ${one.started_at}`,
		cells: [
			<bdi key="host">{one.host}</bdi>,
			one.version,
			[one.leads ? "leads" : "", one.draining ? "ends" : ""].filter(Boolean).join(", "),
			wordOf(one.store),
			<Moment key="start" ms={at(one.started_at)} />,
			<Moment key="seen" ms={at(one.last_seen_at)} />,
		],
	}));
	const columns = ["Process", "Release", "Part", "Store", "Started", "Last seen"];
	return <Lines caption="Processes" columns={columns} lines={lines} />;
}

interface FormProps {
	readonly visit: ConsoleVisit;
	readonly refused: Refused | undefined;
}

/** What may be done while all is counted, by the field's name. */
const BESIDE = { scrub: "Look at the bytes as well", repair: "Bring back what the backups hold whole" };

function Reconcile({ visit, refused }: FormProps) {
	return (
		<ActForm visit={visit} action={HERE} act="reconcile" refused={refused}>
			{Object.entries(BESIDE).map(([name, words]) => (
				<Choice key={name} name={name} words={words} />
			))}
			<button className="quiet" type="submit">
				Count again
			</button>
		</ActForm>
	);
}

export function Choice({ name, words }: { readonly name: string; readonly words: string }) {
	return (
		<label className="choice">
			<input type="checkbox" name={name} value="true" />
			<span>{words}</span>
		</label>
	);
}

function Simulation({ visit, refused, now }: FormProps & { readonly now: string }) {
	const decide = { act: "simulate", refused };
	return (
		<Panel title="Simulated payments">
			<ActForm visit={visit} action={HERE} act="advance" refused={refused}>
				<TextField act="advance" name="to" label="The service's clock" value={now} refused={refused} />
				<button className="quiet" type="submit">
					Move the clock
				</button>
			</ActForm>
			<ActForm visit={visit} action={HERE} act="simulate" refused={refused}>
				<TextField {...decide} name="subscription" label="Id of a subscription" />
				<SelectField
					{...decide}
					name="outcome"
					label="How its next payments go"
					options={SIMULATED_OUTCOMES.map((value) => ({ value, text: wordOf(value) }))}
				/>
				<button className="quiet" type="submit">
					Decide
				</button>
			</ActForm>
		</Panel>
	);
}

async function reconcile(post: ConsolePost): Promise<PageResult> {
	const [scrub, repair] = [typed(post, "scrub") === "true", typed(post, "repair") === "true"];
	const { id } = await post.api.operator.reconcile({ scrub, repair, ...once(post) });
	return await said(post, `Job ${id} counts; what came of it stands in Jobs.`);
}

async function advance(post: ConsolePost): Promise<PageResult> {
	const { now } = await post.api.operator.simulation.advanceClock(typed(post, "to") ?? "");
	return await said(post, `It is ${now} now.`);
}

async function simulate(post: ConsolePost): Promise<PageResult> {
	const outcome = typed(post, "outcome") as (typeof SIMULATED_OUTCOMES)[number];
	await post.api.operator.simulation.decide(typed(post, "subscription") ?? "", outcome, once(post));
	return await said(post, "Its next payments go like that.");
}
