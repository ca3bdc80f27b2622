-- The life of a line: its touches, and the file as each of them left it.

local client = require('toolpath.client')
local label = require('toolpath.label')
local message = require('toolpath.message')
local place = require('toolpath.place')
local virtual = require('toolpath.virtual')
local workspace = require('toolpath.workspace')

local api = vim.api

local M = {}

local function name_of(bufnr)
  return vim.fn.fnamemodify(api.nvim_buf_get_name(bufnr), ':t')
end

-- What a file as of a step is, for people.
local function words_for(uri, step)
  return ('%s as of %s'):format(vim.uri_to_fname('file:///' .. uri:match('[^/]*$')):sub(2), label.of_step(step))
end

-- One touch in one line: what was done, by whom, and the line as it was left.
local function line_of(touch)
  local who = ('%s %s %s'):format(touch.step, label.name(touch.actor), touch.verb)
  return label.one_line(label.join(who, label.day(touch.timestamp), vim.trim(touch.text)))
end

local function ask(on_touches)
  local server, bufnr = client.here()
  if not server then
    return
  end
  client.ask(server, 'toolpath/lineHistory', place.of_cursor(0, server), bufnr, function(history)
    if not history or #history.touches == 0 then
      return message.say('no step is known to have touched this line')
    end
    on_touches(server, history)
  end)
end

-- Lets the user choose one of the touches of the cursor's line, and goes to its step.
function M.choose()
  ask(function(server, history)
    vim.ui.select(history.touches, {
      prompt = ('Touches of line %d, the last one first:'):format(history.line + 1),
      kind = 'toolpath.touch',
      format_item = line_of,
    }, function(touch)
      if touch then
        place.jump(touch.location, server)
      end
    end)
  end)
end

-- Lists the touches of the cursor's line in the location list of the window.
function M.list()
  local win, bufnr = api.nvim_get_current_win(), api.nvim_get_current_buf()
  ask(function(server, history)
    if not api.nvim_win_is_valid(win) then
      return
    end
    local items = require('toolpath.list').items(history.touches, server.offset_encoding, line_of)
    local title = ('Touches of line %d of %s'):format(history.line + 1, name_of(bufnr))
    vim.fn.setloclist(win, {}, ' ', { title = title, items = items })
    api.nvim_win_call(win, function()
      vim.cmd('lopen')
    end)
  end)
end

-- Opens the file as of a step: of the one with the id, else of the one that wrote the cursor's line.
function M.at_step(id, mods)
  local server, bufnr = client.here()
  if not server then
    return
  end
  local cursor = place.of_cursor(0, server)
  local none = workspace.is_document(bufnr) and 'no changed file here: put the cursor on the key of an artifact'
    or 'no step is known to have written this line'
  local function open(argument, step)
    client.execute(server, 'toolpath.fileAtStep', argument, bufnr, function(answer)
      if not answer then
        return message.say(none)
      end
      local start = { line = answer.line or 0, character = 0 }
      virtual.open(server, answer.uri, {
        mods = mods,
        range = { start = start, ['end'] = start },
        words = step and words_for(answer.uri, step),
      })
    end)
  end
  if not id then
    return open(cursor)
  end
  client.ask(server, 'toolpath/steps', { textDocument = cursor.textDocument }, bufnr, function(answer)
    for _, step in ipairs(answer and answer.steps or {}) do
      if step.step == id then
        local argument = { document = step.document, path = step.path, step = step.step }
        -- In a document the artifact at the cursor is meant, and the step there.
        if step.document == cursor.textDocument.uri then
          argument = { textDocument = cursor.textDocument, position = step.location.range.start }
        else
          argument.file, argument.position = cursor.textDocument.uri, cursor.position
        end
        return open(argument, step)
      end
    end
    message.warn(('no step "%s" touched this file'):format(id))
  end)
end

local function move(command, none)
  local server, bufnr = client.here()
  if not server then
    return
  end
  -- The server has the client show the place; here it is only said what it is.
  client.execute(server, command, place.of_cursor(0, server), bufnr, function(moment)
    if not moment then
      return message.say(none)
    end
    if type(moment.step) == 'table' then
      local words = words_for(moment.uri, moment.step)
      virtual.describe(moment.uri, words)
      message.say(words)
    end
  end)
end

-- Shows the file as the step before left it that touched the cursor's line.
function M.previous()
  move('toolpath.previousTouch', 'no earlier step is known to have touched this line')
end

-- Shows the file as the next step left it that touched the cursor's line, at last the file as it is.
function M.next()
  move('toolpath.nextTouch', 'no later step is known to have touched this line')
end

-- Shows what once stood above the cursor's line and was taken away; the server has the client show it.
function M.deleted()
  local server, bufnr = client.here()
  if not server then
    return
  end
  client.execute(server, 'toolpath.deletedLines', place.of_cursor(0, server), bufnr, function(shown)
    if not shown then
      return message.say('no line is known to have been deleted above this one')
    end
    virtual.describe(shown.uri, ('What was deleted above line %d of %s'):format(shown.line + 1, name_of(bufnr)))
  end)
end

return M
