import { APP_PLANS, APP_STATES, OWN_PLAN_KEYS } from "@svc/sdk/lists";
import type { OperatedApp } from "@svc/sdk/shapes";
import { Day, fileSize, Moment, numberText } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { Reason } from "./deeds.tsx";
import {
	asked,
	at,
	Facets,
	FactList,
	Listed,
	OPERATOR,
	operatorPage,
	Search,
	said,
	typed,
	wordOf,
} from "./operator.tsx";

/* All Apps, and of one of them what operators set: its plan, its limits, whether it sells, and whether it works at all. */

export const operatedAppsScreen: Screen = {
	path: "/operator/apps",
	get: (visit, refused) => (asked(visit, "id") === undefined ? showApps(visit) : showApp(visit, refused)),
	acts: { terms, block, unblock },
};

const HERE = `${OPERATOR}/apps`;

async function showApps(visit: ConsoleVisit): Promise<PageResult> {
	const [q, state] = [asked(visit, "q"), asked(visit, "state")];
	const { data, pagination } = await visit.api.operator.apps.list({
		cursor: asked(visit, "cursor"),
		...(q !== undefined && { q }),
		...(state !== undefined && { state: state as OperatedApp["state"] & "active" }),
	});
	const lines = data.map((app) => ({
		id: app.id,
		cells: [
			<a key="name" href={`${HERE}?id=${app.id}`}>
				<bdi>{app.name}</bdi>
			</a>,
			wordOf(app.state),
			app.plan,
			numberText(app.images),
			fileSize(app.bytes),
			numberText(app.users),
			<bdi key="owner">{app.owner?.email ?? ""}</bdi>,
			<Day key="since" ms={at(app.created_at)} />,
		],
	}));
	const columns = ["Name", "State", "Plan", "Images", "Size", "Users", "Owner", "Since"];
	return operatorPage(visit, {
		screen: "apps",
		children: (
			<>
				<Search here={HERE} label="An id, or how a name or the Owner's address begins" value={q} />
				<Facets label="States" here={HERE} name="state" values={["all", ...APP_STATES]} value={state} />
				<Listed
					{...{ visit, columns, lines }}
					caption="Apps"
					none="No App."
					numbers={[3, 4, 5]}
					next={pagination.next_cursor}
				/>
			</>
		),
	});
}

async function showApp(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const id = asked(visit, "id") ?? "";
	const app = await visit.api.operator.apps.get(id);
	const form: FormProps = { visit, app, action: `${HERE}?id=${app.id}`, refused };
	return operatorPage(visit, {
		screen: "apps",
		title: app.name,
		heading: (
			<div className="heading">
				<a className="back" href={HERE} data-keys="Escape">
					← Apps
				</a>
				<h1>
					<bdi>{app.name}</bdi>
				</h1>
			</div>
		),
		children: (
			<div className="panels">
				<div className="card">
					<Facts app={app} />
					<p>
						<a href={`${OPERATOR}/moderation?state=all&app=${app.id}`}>Its pictures</a>
					</p>
				</div>
				<Terms {...form} />
				<Block {...form} />
			</div>
		),
	});
}

function Facts({ app }: { readonly app: OperatedApp }) {
	return (
		<FactList
			facts={[
				["Id", <code key="id">{app.id}</code>],
				["Owner", <bdi key="owner">{app.owner?.email ?? "None"}</bdi>],
				["State", app.block_reason === null ? wordOf(app.state) : `Blocked: ${wordOf(app.block_reason)}`],
				["Plan", app.plan],
				["Images", `${app.images} of ${app.limits.images ?? "any number"}`],
				["Users", `${app.users} of ${app.limits.users ?? "any number"}`],
				["Size", fileSize(app.bytes)],
				["Sells plans", app.selling_enabled ? "Yes" : "No"],
				["Since", <Moment key="since" ms={at(app.created_at)} />],
			]}
		/>
	);
}

interface FormProps {
	readonly visit: ConsoleVisit;
	readonly app: OperatedApp;
	readonly action: string;
	readonly refused: Refused | undefined;
}

const KEEP = "";
const NONE = "none";

function Terms({ visit, app, action, refused }: FormProps) {
	const common = { act: "terms", refused };
	// Each interface has its own plans; what it does not grant it refuses by name.
	const plans = visit.includes.length > 0 ? APP_PLANS : OWN_PLAN_KEYS;
	return (
		<div className="card">
			<h2>Plan and limits</h2>
			<ActForm visit={visit} action={action} act="terms" refused={refused}>
				<SelectField
					{...common}
					name="plan"
					label="Plan that is granted"
					options={[
						{ value: KEEP, text: "As it is" },
						{ value: NONE, text: "None: what it pays for" },
						...plans.map((plan) => ({ value: plan, text: plan })),
					]}
				/>
				<SelectField
					{...common}
					name="selling_enabled"
					label="May sell plans"
					value={String(app.selling_enabled)}
					options={[
						{ value: "true", text: "Yes" },
						{ value: "false", text: "No" },
					]}
				/>
				{(["images", "users"] as const).map((name) => (
					<TextField
						key={name}
						{...common}
						name={name}
						label={`Limit of ${name}`}
						hint="Nothing: the plan's own."
						value={String(app.own_limits[name] ?? "")}
						input={{ inputMode: "numeric" }}
					/>
				))}
				<button className="primary" type="submit">
					Save
				</button>
			</ActForm>
		</div>
	);
}

function Block({ visit, app, action, refused }: FormProps) {
	const isBlocked = app.state === "blocked";
	const act = isBlocked ? "unblock" : "block";
	return (
		<div className="card">
			<h2>{isBlocked ? "Unblock" : "Block"}</h2>
			<p>
				{isBlocked
					? "Its keys work again, and its storage can be changed."
					: "Its App-wide keys are refused, and its storage can only be read. Its Owner and Admins get a mail."}
			</p>
			<ActForm visit={visit} action={action} act={act} refused={refused}>
				{!isBlocked && <Reason value={undefined} />}
				<TextField act={act} name="note" label="Note for operators" refused={refused} />
				<button className={isBlocked ? "primary" : "danger"} type="submit">
					{isBlocked ? "Unblock" : "Block"}
				</button>
			</ActForm>
		</div>
	);
}

async function terms(post: ConsolePost): Promise<PageResult> {
	const plan = typed(post, "plan");
	await post.api.operator.apps.edit(asked(post, "id") ?? "", {
		...(plan !== undefined && { plan: plan === NONE ? null : plan }),
		sellingEnabled: typed(post, "selling_enabled") === "true",
		limits: { images: limitOf(post, "images"), users: limitOf(post, "users") },
	});
	return await said(post, "Saved.");
}

/** What is no number the API refuses, naming the field. */
function limitOf(post: ConsolePost, name: string): number | null {
	const text = typed(post, name);
	return text === undefined ? null : /^\d+$/.test(text) ? Number(text) : -1;
}

async function block(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.apps.block(asked(post, "id") ?? "", typed(post, "reason") ?? "", typed(post, "note"));
	return await said(post, "Blocked.");
}

async function unblock(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.apps.unblock(asked(post, "id") ?? "", typed(post, "note"));
	return await said(post, "Unblocked.");
}
