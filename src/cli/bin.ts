#!/usr/bin/env node
import { surviveEarlyHangup } from './early-hangup.ts';
import { printsVersion } from './print-version.ts';

surviveEarlyHangup();
if (!printsVersion()) void import('./main.ts').then(({ main }) => main());
