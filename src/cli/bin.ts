#!/usr/bin/env node
import { printsVersion } from './print-version.ts';

if (!printsVersion()) void import('./main.ts').then(({ main }) => main());
