@echo off
rem Svc from this checkout: "svc start" is the service, "svc whoami" and the like are its commands. Needs Node.js or Bun, no more.
setlocal EnableExtensions DisableDelayedExpansion
rem Called by a quoted name that is found on the PATH, a batch file knows its own place in a subroutine only.
call :place
set "SVC_COMMAND=%self%"
if /i "%CD%\"=="%here%" set "SVC_COMMAND=.\svc"
rem The last one that is there. No name of ours here begins with SVC_: the service takes those for settings.
set "runtime="
for %%N in (bun.cmd bun.exe node.cmd node.exe) do if not "%%~$PATH:N"=="" set "runtime=%%~$PATH:N"
if not defined runtime goto missing
"%runtime%" "%here%svc.mjs" %*
exit /b %ERRORLEVEL%

:missing
>&2 echo Svc needs Node.js 20 or later (https://nodejs.org), or Bun 1.4.5 (https://bun.com). Install one of them, and run this again.
exit /b 127

:place
set "self=%~f0"
set "here=%~dp0"
exit /b 0
