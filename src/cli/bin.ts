#!/usr/bin/env node
import { start } from './start.ts';

if (start()) void import('./main.ts').then(({ main }) => main());
