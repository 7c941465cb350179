import { accountsScreen } from "./accounts.tsx";
import { operatedAppsScreen } from "./apps.tsx";
import { healthScreen } from "./health.tsx";
import { backupsScreen, operatorJobsScreen } from "./jobs.tsx";
import { logsScreen } from "./logs.tsx";
import { mailsScreen } from "./mails.tsx";
import { forOperators } from "./operator.tsx";
import { moderatedScreen, previewScreen } from "./picture.tsx";
import { queueScreen } from "./queue.tsx";
import { reportsScreen } from "./reports.tsx";
import { trashScreen } from "./trash.tsx";

/** The screens of those who run the service. */
export const OPERATOR_SCREENS = [
	queueScreen,
	moderatedScreen,
	previewScreen,
	reportsScreen,
	operatedAppsScreen,
	accountsScreen,
	healthScreen,
	operatorJobsScreen,
	mailsScreen,
	trashScreen,
	backupsScreen,
	logsScreen,
].map(forOperators);
